/** A text as the guard reads it: folded units, their kinds and words, in buffers that are reused for the next text. */
import { foldedAs, foldedToSeveral, foldsToSeveral, kindBits, kindOf, letterBits, needsFold } from './units.ts'

export interface Page {
  /** Folded, lower case; from `length` on it is left over from earlier texts. */
  units: Uint16Array
  /** The kind of each unit. */
  kinds: Uint16Array
  length: number
  /** Where each word begins and ends (exclusive), and its place among words and ends of sentences, counted from 1. */
  starts: Uint32Array
  ends: Uint32Array
  places: Uint32Array
  /** Of each word the bits that any of its letters has; in the upper half those that all have. */
  wordKinds: Uint32Array
  /** Of each word its list of families in the trie; written by words.ts. */
  families: Uint16Array
  wordCount: number
  /** Words and ends of sentences together. */
  placeCount: number
}

const initialUnits = 1_024

/** Grows with the longest text; the caller limits that. */
export function createPage(): Page {
  const page = { length: 0, wordCount: 0, placeCount: 0 } as Page
  resize(page, initialUnits)
  return page
}

function resize(page: Page, units: number): void {
  const words = (units >> 1) + 1
  page.units = new Uint16Array(units)
  page.kinds = new Uint16Array(units)
  page.starts = new Uint32Array(words)
  page.ends = new Uint32Array(words)
  page.places = new Uint32Array(words)
  page.wordKinds = new Uint32Array(words)
  page.families = new Uint16Array(words)
}

export function ensureCapacity(page: Page, length: number): void {
  if (page.units.length < length) resize(page, Math.max(length, page.units.length * 2))
}

/** Spare units for characters that are folded to several. */
const roomForSeveral = 64

const regionsAndCards = 0xd83c
const firstPicture = 0xdf00

/**
 * Folds while it reads, unit by unit.
 * @returns false where that is not enough: then `fold` is needed
 */
export function readUnfolded(page: Page, text: string): boolean {
  ensureCapacity(page, text.length + roomForSeveral)
  const { units, kinds } = page
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const folded = foldedAs[unit] ?? needsFold
    if (folded >= foldsToSeveral) {
      const parts = folded === foldsToSeveral ? foldedToSeveral.get(unit) : undefined
      if (!parts || length + parts.length + text.length - at > units.length) return false
      for (const part of parts) {
        units[length] = part
        kinds[length++] = kindOf[part] ?? 0
      }
      continue
    }
    // Circled letters and flags are among the first of this block.
    if (unit === regionsAndCards && !(text.charCodeAt(at + 1) >= firstPicture)) return false
    if (folded === 0) continue
    units[length] = folded
    kinds[length++] = kindOf[folded] ?? 0
  }
  page.length = length
  findWords(page)
  for (let word = 0; word < page.wordCount; word++) if (mixesScripts(page.wordKinds[word] ?? 0)) return false
  return true
}

/** @param text the result of `fold` */
export function readFolded(page: Page, text: string): void {
  ensureCapacity(page, text.length)
  for (let at = 0; at < text.length; at++) page.units[at] = text.charCodeAt(at)
  page.length = text.length
  refreshKinds(page)
}

/** After its units were changed. */
export function refreshKinds(page: Page): void {
  const { units, kinds, length } = page
  for (let at = 0; at < length; at++) kinds[at] = kindOf[units[at] ?? 0] ?? 0
  findWords(page)
}

function mixesScripts(kind: number): boolean {
  return (kind & kindBits.latin) !== 0 && (kind & kindBits.greekOrCyrillic) !== 0
}

function findWords(page: Page): void {
  const { kinds, length, starts, ends, places, wordKinds } = page
  let words = 0
  let place = 0
  let at = 0
  while (at < length) {
    const first = kinds[at] ?? 0
    if ((first & letterBits) === 0) {
      if ((first & kindBits.sentenceEnd) !== 0) place++
      at++
      continue
    }
    starts[words] = at
    let any = first
    let all = first
    for (at++; at < length; at++) {
      const kind = kinds[at] ?? 0
      if ((kind & letterBits) === 0) break
      any |= kind
      all &= kind
    }
    ends[words] = at
    places[words] = ++place
    wordKinds[words++] = any | (all << 16)
  }
  page.wordCount = words
  page.placeCount = place
}

const utf16 = new TextDecoder('utf-16le')

/** Half of a surrogate pair becomes U+FFFD. */
export function pageText({ units, length }: Page): string {
  return utf16.decode(units.subarray(0, length))
}
