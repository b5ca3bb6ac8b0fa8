/** Reads a page once and reports, window by window, the features of its words. */
import type { Page } from '../page.ts'
import { listEnd } from '../trie.ts'
import { kindBits } from '../units.ts'
import type { Source } from '../verdict.ts'
import { vocabulary } from '../vocabulary.ts'
import { parts } from './families.ts'
import { createWindow, type OnWindow } from './window.ts'
import { hashOf, hashOfStem } from './word-hash.ts'

/**
 * A window ends with the first sentence after `windowWordsMin`, or at `windowWordsMax`. Windows keep an attack in a long
 * text from being diluted by what surrounds it.
 */
const windowWordsMin = 48
const windowWordsMax = 72
/** Words of two families that are so near to each other are a pair. */
const pairPlacesMax = 4
/** How many families before a word are remembered. */
const rememberedMax = 8
const sizesMax = 9

/** Keep features of different kinds apart. */
const salts = {
  word: 0x11111111,
  family: 0x71000,
  pair: 0x7300000,
  parts: 0x51000,
  sign: 0x8100,
  source: 0x6100000,
  size: 0x6200000,
  quotation: 0x6300000,
}
const sourceSalts: Readonly<Record<Source, number>> = { user: 0x1234567, untrusted: 0x7654321 }

const unit = (character: string): number => character.charCodeAt(0)
const space = unit(' ')
const signKinds = { stop: 1, quotation: 2, other: 3 } as const
/** By unit: signs that are features. */
const signs: Uint8Array = (() => {
  const kinds = new Uint8Array(0x2030)
  for (const sign of ':;,{}<>[]()=#*|—-') kinds[unit(sign)] = signKinds.other
  for (const sign of '"«»“”`') kinds[unit(sign)] = signKinds.quotation
  for (const sign of '.!?\n') kinds[unit(sign)] = signKinds.stop
  return kinds
})()

const anyNumber = hashOf('0')

/** It reads one page at a time; the words of the page must have been read as `plain` before. */
export function createFeatureReader(): (page: Page, source: Source, onWindow: OnWindow) => void {
  const { families, familyLists: lists } = vocabulary()
  const window = createWindow()
  const partOf = partsByFamily(families)
  const before = { families: new Uint8Array(rememberedMax), places: new Uint32Array(rememberedMax), count: 0 }
  let word = 0
  let sourceSalt = 0
  let wordsInWindow = 0
  let hasQuotation = false
  let stemBefore = 1
  let partsInSentence = 0

  const add = (hash: number) => window.add(hash, word)

  function addWord(page: Page, start: number, end: number): void {
    const isNumber = ((page.kinds[start] ?? 0) & kindBits.digit) !== 0
    const stem = isNumber ? anyNumber : hashOfStem(page.units, start, end)
    add(stem ^ salts.word)
    add(Math.imul(stem, 3) ^ sourceSalt)
    add(Math.imul(stemBefore, 0x9e3779b1) ^ stem)
    stemBefore = stem
    wordsInWindow++
    if (isNumber) return
    const list = page.families[word] ?? 0
    if (list !== 0) addFamilies(list, page.places[word] ?? 0)
  }

  function addFamilies(list: number, place: number): void {
    for (let at = list; lists[at] !== listEnd; at++) {
      const family = lists[at] ?? 0
      add(salts.family + family)
      add((salts.family + family) ^ sourceSalt)
      for (let nth = 0; nth < before.count; nth++) {
        const apart = place - (before.places[nth] ?? 0)
        if (apart === 0 || apart > pairPlacesMax) continue
        const pair = salts.pair + (before.families[nth] ?? 0) * 256 + family
        add(pair)
        add(pair ^ sourceSalt)
      }
      partsInSentence |= partOf[family] ?? 0
    }
    for (let at = list; lists[at] !== listEnd; at++) remember(lists[at] ?? 0, place)
  }

  function remember(family: number, place: number): void {
    if (before.count === rememberedMax) {
      before.families.copyWithin(0, 1)
      before.places.copyWithin(0, 1)
      before.count--
    }
    before.families[before.count] = family
    before.places[before.count++] = place
  }

  /** Adds the pairs of parts that occur in it together. */
  function endSentence(): void {
    for (let first = 0, rest = partsInSentence; rest !== 0; first++, rest >>>= 1) {
      if ((rest & 1) === 0) continue
      for (let second = first + 1, later = rest >>> 1; later !== 0; second++, later >>>= 1) {
        if ((later & 1) === 0) continue
        add(salts.parts + first * 64 + second)
      }
    }
    partsInSentence = 0
  }

  function endWindow(onWindow: OnWindow): void {
    endSentence()
    add(salts.source ^ sourceSalt)
    add(salts.size + Math.min(sizesMax, Math.round(Math.log2(wordsInWindow + 1) * 1.5)))
    if (hasQuotation) add(salts.quotation)
    window.end(onWindow)
    begin()
  }

  function begin(): void {
    wordsInWindow = 0
    hasQuotation = false
    stemBefore = 1
    before.count = 0
  }

  function addSigns({ units }: Page, from: number, to: number, onWindow: OnWindow): void {
    for (let at = from; at < to; at++) {
      const sign = units[at] ?? 0
      const kind = signs[sign] ?? 0
      if (kind === 0) continue
      add(salts.sign + sign)
      if (kind === signKinds.quotation) hasQuotation = true
      if (kind !== signKinds.stop) continue
      if (partsInSentence !== 0) endSentence()
      if (wordsInWindow >= windowWordsMin) endWindow(onWindow)
    }
  }

  return (page, source, onWindow) => {
    const { starts, ends, units, wordCount } = page
    sourceSalt = sourceSalts[source]
    // Signs that came after the last window of the page before belong to no window.
    window.clear()
    begin()
    let end = 0
    for (word = 0; word < wordCount; word++) {
      const start = starts[word] ?? 0
      if (start - end !== 1 || units[end] !== space) addSigns(page, end, start, onWindow)
      if (wordsInWindow >= windowWordsMax) endWindow(onWindow)
      end = ends[word] ?? 0
      addWord(page, start, end)
    }
    addSigns(page, end, page.length, onWindow)
    if (wordsInWindow > 0) endWindow(onWindow)
  }
}

/** By family the bit of its part; 0: it has none. */
function partsByFamily(names: readonly string[]): Uint32Array {
  const bits = new Uint32Array(names.length)
  for (const [number, members] of Object.values(parts).entries()) {
    for (const name of members) {
      const family = names.indexOf(name)
      if (family < 0) throw new RangeError(`no family is called "${name}"`)
      bits[family] = (bits[family] ?? 0) | (1 << number)
    }
  }
  return bits
}
