/** A page: it reads as `fold` does, and no sign of a mark or a disguise is overlooked. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodings } from '../../guard/decode.ts'
import { withoutDigits } from '../../guard/disguise.ts'
import { fold } from '../../guard/fold.ts'
import { findMarks } from '../../guard/marks.ts'
import { createPage, pageText, readFolded, readUnfolded } from '../../guard/page.ts'
import { encodedSigns, signBits, signsOf } from '../../guard/signs.ts'
import { foldedAs, needsFold } from '../../guard/units.ts'
import { propertyRuns } from '../support/property-runs.ts'

const page = createPage()

test('every unit that is read alone is read as in a text of its own', () => {
  const wrong: string[] = []
  for (let unit = 0; unit < 0x10000; unit++) {
    const text = `1${String.fromCharCode(unit)}.`
    const isHalf = unit >= 0xd800 && unit < 0xe000
    if (foldedAs[unit] !== needsFold && !isHalf && readUnfolded(page, text) && pageText(page) !== fold(text).text)
      wrong.push(unit.toString(16))
  }
  expect(wrong).toEqual([])
})

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 8 }) },
  ...[
    'Ёлка',
    'аnd',
    'é',
    '\u0301',
    '😀',
    '\u{1F1E9}',
    '👍\u{1F3FD}',
    '\ufe0f',
    '\u200d',
    '…',
    'ΟΔΟΣ',
    '\u2028',
    'ﷺ',
  ].map((text) => fc.constant(text)),
)
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))

test('a text that is read unit by unit reads as it does folded', () => {
  fc.assert(
    fc.property(texts, (text) => {
      if (readUnfolded(page, text)) expect(pageText(page)).toBe(fold(text).text)
    }),
    { numRuns: propertyRuns(3_000) },
  )
})

test('plain Russian, typography and emoji are read unit by unit; what marks and scripts make of their neighbours is not', () => {
  for (const text of ['Съешь ещё «булок» — да?', '“Don’t…” 👍🏽 ❤️ №1', '漢字 한국 カナ', 'a\tb\r\nc', ''])
    expect(readUnfolded(page, text)).toBe(true)
  for (const text of ['e\u0301', 'ignоre', '\u{1F1E9}\u{1F1EA}', '\u{1D41A}', 'ａ', `ok\u{e0041}`])
    expect(readUnfolded(page, text)).toBe(false)
})

const hints = fc.constantFrom(
  ...['<', '|', 'im', '>', '[', 'INST]', '/', 'system', ':', ']', '\n', ' ', '!', '](https://a/', '?q={', '<!--', 'ai'],
  ...['display:', 'none', 'color', ': white', '%', '69', '&', '#105', '\\', 'u0069', 'x41', '0x', ',', 'abcdef', "'"],
  ...[
    'QUJDREVGR0hJSktM',
    '+',
    '4142',
    'ж',
    'é',
    'система',
    '#',
    '>>',
    'developer',
    '_',
    'note',
    '-----',
    '1',
    '3',
    '8',
    '@',
  ],
)

function expectSigns(written: string): void {
  const { text, cased } = fold(written)
  readFolded(page, text)
  const signs = signsOf(page)
  if ((signs & signBits.marks) === 0) expect(findMarks(text, 'user')).toEqual([])
  if ((signs & (signBits.marks | signBits.markup)) === 0) expect(findMarks(text, 'untrusted')).toEqual([])
  expect(decodings(cased, signs)).toEqual(decodings(cased, encodedSigns))
  if ((signs & signBits.digits) === 0) expect(withoutDigits(page, createPage())).toBe(false)
}

test('where no sign was seen there is no mark and nothing to undo', () => {
  fc.assert(
    fc.property(fc.array(hints, { maxLength: 24 }), (parts) => expectSigns(parts.join(''))),
    { numRuns: propertyRuns(3_000) },
  )
})

test('an escape of Latin letters before a Cyrillic word is seen', () => {
  for (const text of ['%ééж', '%eeж', 'a%6éж']) expectSigns(text)
})
