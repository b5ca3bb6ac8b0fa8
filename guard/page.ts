/** A text as the guard reads it: folded units, their kinds and the words they make, in buffers that serve one text after the other. */
import { foldedAs, foldedToSeveral, kindBits, kindOf, letterBits, several, unsure } from './units.ts'

export interface Page {
  /** Folded, lower case; what stands from `length` on is left from texts before. */
  units: Uint16Array
  /** The kind of each unit. */
  kinds: Uint16Array
  length: number
  /** Where each word begins and ends (exclusive), and its place among words and ends of sentences, counted from 1. */
  starts: Uint32Array
  ends: Uint32Array
  places: Uint32Array
  /** Of each word the bits that any of its letters has, and in the upper half those that all have. */
  wordKinds: Uint32Array
  /** Of each word a list of the trie's families; words.ts leaves it here. */
  families: Uint16Array
  wordCount: number
  /** Words and ends of sentences together. */
  placeCount: number
}

const unitsFirst = 1_024

/** Grows with the longest text that it had, whose bound is the caller's. */
export function createPage(): Page {
  const page = { length: 0, wordCount: 0, placeCount: 0 } as Page
  resize(page, unitsFirst)
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

export function makeRoom(page: Page, length: number): void {
  if (page.units.length < length) resize(page, Math.max(length, page.units.length * 2))
}

/** For what becomes longer. */
const roomForSeveral = 64

const regionsAndCards = 0xd83c
const firstPicture = 0xdf00

/**
 * Folds while it reads, unit by unit.
 * @returns false where that is not enough: then `fold` says what stands there
 */
export function readGiven(page: Page, text: string): boolean {
  makeRoom(page, text.length + roomForSeveral)
  const { units, kinds } = page
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const folded = foldedAs[unit] ?? unsure
    if (folded >= several) {
      const parts = folded === several ? foldedToSeveral.get(unit) : undefined
      if (!parts || length + parts.length + text.length - at > units.length) return false
      for (const part of parts) {
        units[length] = part
        kinds[length++] = kindOf[part] ?? 0
      }
      continue
    }
    // Letters in circles and flags are among its first.
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

/** @param text as `fold` left it */
export function readFolded(page: Page, text: string): void {
  makeRoom(page, text.length)
  for (let at = 0; at < text.length; at++) page.units[at] = text.charCodeAt(at)
  page.length = text.length
  findKinds(page)
}

/** After its units were changed. */
export function findKinds(page: Page): void {
  const { units, kinds, length } = page
  for (let at = 0; at < length; at++) kinds[at] = kindOf[units[at] ?? 0] ?? 0
  findWords(page)
}

function mixesScripts(kind: number): boolean {
  return (kind & kindBits.latin) !== 0 && (kind & kindBits.eastern) !== 0
}

function findWords(page: Page): void {
  const { kinds, length, starts, ends, places, wordKinds } = page
  let words = 0
  let place = 0
  let at = 0
  while (at < length) {
    const first = kinds[at] ?? 0
    if ((first & letterBits) === 0) {
      if ((first & kindBits.stop) !== 0) place++
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

/** Half of a pair becomes the sign for what is no character. */
export function textOf({ units, length }: Page): string {
  return utf16.decode(units.subarray(0, length))
}
