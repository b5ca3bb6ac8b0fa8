/** The table of word families. */
import { expect, test } from 'vitest'
import { families } from '../../../../src/actors/guard/likelihood/families.ts'
import {
  beginningLettersMax,
  buildFamilyTable,
  noFamily,
} from '../../../../src/actors/guard/likelihood/family-table.ts'
import { hashUnits } from '../../../../src/actors/guard/likelihood/word-hash.ts'

type Table = ReturnType<typeof buildFamilyTable>

function familiesOf({ find, lists, names }: Table, word: string): string[] {
  const beginnings = new Int32Array(beginningLettersMax + 1)
  const hash = hashUnits(
    Uint16Array.from(word, (letter) => letter.charCodeAt(0)),
    0,
    word.length,
    beginnings,
  )
  const found: string[] = []
  for (let at = find(hash, beginnings, word.length); lists[at] !== noFamily; at++)
    found.push(names[lists[at] ?? 0] ?? '')
  return found
}

test('a word has all the families that name it, and a beginning those of its own', () => {
  const table = buildFamilyTable({ rules: 'rule rules order', trade: 'order deliver*', orders: 'instruct*' })
  expect(familiesOf(table, 'order')).toEqual(['rules', 'trade'])
  expect(familiesOf(table, 'delivery')).toEqual(['trade'])
  expect(familiesOf(table, 'instructions')).toEqual(['orders'])
  expect(familiesOf(table, 'of')).toEqual([])
  expect(familiesOf(table, 'ordered')).toEqual([])
})

test('a beginning of two letters is refused', () => {
  expect(() => buildFamilyTable({ all: 'al*' })).toThrow(RangeError)
})

test('each word of each family is found', () => {
  const table = buildFamilyTable(families)
  // A longer beginning of another family goes before a shorter one.
  for (const [name, words] of Object.entries(families))
    for (const word of words.trim().split(/\s+/))
      if (!word.endsWith('*')) expect(familiesOf(table, word), word).toContain(name)
      else expect(familiesOf(table, word.slice(0, -1)).length, word).toBeGreaterThan(0)
})
