/** What each UTF-16 unit is to the guard: the letter it reads as, and what it may be a part of. Tables, so that reading is a look-up a unit. */
import { readAs } from './letters.ts'

export const alphabet = "abcdefghijklmnopqrstuvwxyz'абвгдежзийклмнопрстуфхцчшщъыьэюя"

/** Not a letter of any word. */
export const noLetter = 0
/** A letter or digit that no word of the lexicon has. */
export const strangeLetter = 1
export const firstLetter = 3
/** The letter's number, in the lowest bits of a kind. */
export const letterBits = 0x3f
/** More than any letter's number. */
export const lettersMax = letterBits + 1

/** The other bits of a kind. */
export const kindBits = {
  latin: 1 << 6,
  /** Greek or Cyrillic. */
  eastern: 1 << 7,
  /** A letter of the alphabet, without the apostrophe. */
  plainLetter: 1 << 8,
  /** May stand in a run of hexadecimal digits: a digit, or a sign between them. */
  hex: 1 << 9,
  /** May stand in base64. */
  base64: 1 << 10,
  /** May stand for a letter. */
  forLetter: 1 << 11,
  /** Ends a sentence. */
  stop: 1 << 12,
  /** May be put between the letters of a word. */
  inner: 1 << 13,
  /** Something may begin here that is told by its signs. */
  sign: 1 << 14,
  digit: 1 << 15,
} as const

/** The kind of each unit of a folded text. */
export const kindOf: Uint16Array = (() => {
  const kinds = new Uint16Array(0x10000)
  /** Half of a pair is none. */
  const isLetter = /[\p{L}\p{N}]/u
  for (let unit = 0; unit < kinds.length; unit++)
    if (isLetter.test(String.fromCharCode(unit))) kinds[unit] = strangeLetter
  for (let at = 0; at < alphabet.length; at++) {
    const unit = alphabet.charCodeAt(at)
    kinds[unit] = (firstLetter + at) | (alphabet[at] === "'" ? 0 : kindBits.plainLetter)
  }
  const add = (bit: number, characters: Iterable<string>) => {
    for (const one of characters) kinds[one.charCodeAt(0)] = (kinds[one.charCodeAt(0)] ?? 0) | bit
  }
  add(kindBits.latin, alphabet.slice(0, 26))
  for (let unit = 0x370; unit < 0x530; unit++) add(kindBits.eastern, [String.fromCharCode(unit)])
  add(kindBits.hex, '0123456789abcdefx\\ :,\n')
  add(kindBits.base64, `${alphabet.slice(0, 26)}0123456789+/_-`)
  add(kindBits.forLetter, '01345678@$!|')
  add(kindBits.digit, '0123456789')
  add(kindBits.stop, '.!?\n')
  add(kindBits.inner, '*_~.-|\\^+·•')
  add(kindBits.sign, '<[%&\\:\n')
  return kinds
})()

/** What becomes of the unit depends on its neighbours. */
export const unsure = 0xffff

/** It becomes several, which `foldedToSeveral` has. */
export const several = 0xfffe

/** Marks join the letter before them, as do the parts of Korean syllables; sigma is another at the end of a word; lines and blanks of their own. */
const dependent = /[\p{M}\u1100-\u11ff\u03a3\u1680\u2028\u2029]/u

/** Beyond the table: kana, Chinese, Korean; emoji, of which page.ts says more. */
const unchanged = [
  [0x3001, 0x3002],
  [0x3041, 0x3094],
  [0x30a1, 0x30fa],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xd83c, 0xd83e],
  [0xdc00, 0xdfef],
  [0xdffa, 0xdfff],
] as const

/**
 * What a unit is folded to wherever it stands; 0: it is left out. The same as `fold` makes of it: no mark is among them,
 * so that composition joins nothing.
 */
export const foldedAs: Uint16Array = (() => {
  const table = new Uint16Array(0x10000).fill(unsure)
  for (let unit = 0; unit < 0x3000; unit++) table[unit] = foldedAlone(String.fromCharCode(unit))
  for (const [from, to] of unchanged) for (let unit = from; unit <= to; unit++) table[unit] = unit
  // Selectors of a form, as of emoji, and the mark of the byte order.
  table.fill(0, 0xfe00, 0xfe10)
  table[0xfeff] = 0
  return table
})()

/** As of an ellipsis or a number sign. */
export const foldedToSeveral: ReadonlyMap<number, readonly number[]> = new Map(
  Array.from({ length: 0x3000 }, (_, unit): [number, number[]] => [
    unit,
    Array.from(String.fromCharCode(unit).normalize('NFKC'), (one) => foldedAs[one.charCodeAt(0)] ?? unsure),
  ]).filter(([unit, folded]) => foldedAs[unit] === several && folded.every((one) => one !== 0 && one < several)),
)

function foldedAlone(character: string): number {
  const composed = character.normalize('NFKC')
  if (dependent.test(character) || dependent.test(composed)) return unsure
  if (composed.length > 1) return several
  const read = readAs[composed.charCodeAt(0)] ?? 0
  const lower = String.fromCharCode(read).toLowerCase()
  const folded = read === 0 ? 0 : (readAs[lower.charCodeAt(0)] ?? 0)
  const kind = kindOf[folded] ?? 0
  // Signs of another script touch letters as its letters do.
  return lower.length !== 1 || ((kind & kindBits.eastern) !== 0 && (kind & letterBits) === noLetter) ? unsure : folded
}
