/** Tables over all UTF-16 units: the letter that each is read as, and what it may be part of. Reading is one look-up a unit. */
import { normalizedLetters } from './letters.ts'

export const alphabet = "abcdefghijklmnopqrstuvwxyz'абвгдежзийклмнопрстуфхцчшщъыьэюя"

/** Not part of any word. */
export const noLetter = 0
/** A letter or digit that no word of the lexicon has. */
export const otherLetter = 1
export const firstLetter = 3
/** The letter's number, in the lowest bits of a kind. */
export const letterBits = 0x3f
/** More than any letter's number. */
export const lettersMax = letterBits + 1

/** The other bits of a kind. */
export const kindBits = {
  latin: 1 << 6,
  /** Greek or Cyrillic. */
  greekOrCyrillic: 1 << 7,
  /** A letter of the alphabet, without the apostrophe. */
  alphabetLetter: 1 << 8,
  /** May be in a run of hexadecimal digits: a digit, or a sign between them. */
  hex: 1 << 9,
  /** May be part of base64. */
  base64: 1 << 10,
  /** May stand for a letter. */
  letterSubstitute: 1 << 11,
  /** Ends a sentence. */
  sentenceEnd: 1 << 12,
  /** May have been put between the letters of a word. */
  betweenLetters: 1 << 13,
  /** A mark or an encoded text may begin here (signs.ts). */
  signStart: 1 << 14,
  digit: 1 << 15,
} as const

/** The kind of each unit of a folded text. */
export const kindOf: Uint16Array = (() => {
  const kinds = new Uint16Array(0x10000)
  /** Half of a surrogate pair is not a letter. */
  const isLetter = /[\p{L}\p{N}]/u
  for (let unit = 0; unit < kinds.length; unit++)
    if (isLetter.test(String.fromCharCode(unit))) kinds[unit] = otherLetter
  for (let at = 0; at < alphabet.length; at++) {
    const unit = alphabet.charCodeAt(at)
    kinds[unit] = (firstLetter + at) | (alphabet[at] === "'" ? 0 : kindBits.alphabetLetter)
  }
  const add = (bit: number, characters: Iterable<string>) => {
    for (const one of characters) kinds[one.charCodeAt(0)] = (kinds[one.charCodeAt(0)] ?? 0) | bit
  }
  add(kindBits.latin, alphabet.slice(0, 26))
  for (let unit = 0x370; unit < 0x530; unit++) add(kindBits.greekOrCyrillic, [String.fromCharCode(unit)])
  add(kindBits.hex, '0123456789abcdefx\\ :,\n')
  add(kindBits.base64, `${alphabet.slice(0, 26)}0123456789+/_-`)
  add(kindBits.letterSubstitute, '01345678@$!|')
  add(kindBits.digit, '0123456789')
  add(kindBits.sentenceEnd, '.!?\n')
  add(kindBits.betweenLetters, '*_~.-|\\^+·•')
  add(kindBits.signStart, '<[%&\\:\n')
  return kinds
})()

/** How the unit is folded depends on its neighbours. */
export const needsFold = 0xffff

/** It is folded to several units, listed in `foldedToSeveral`. */
export const foldsToSeveral = 0xfffe

/** Marks join the letter before them, as parts of Korean syllables do; sigma has another form at the end of a word; special line ends and blanks. */
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
 * What a unit is folded to, whatever its neighbours are; 0: it is left out. Agrees with `fold`: there are no marks among
 * them, so that composition joins nothing.
 */
export const foldedAs: Uint16Array = (() => {
  const table = new Uint16Array(0x10000).fill(needsFold)
  for (let unit = 0; unit < 0x3000; unit++) table[unit] = foldedAlone(String.fromCharCode(unit))
  for (const [from, to] of unchanged) for (let unit = from; unit <= to; unit++) table[unit] = unit
  // Variation selectors, as of emoji, and the byte order mark.
  table.fill(0, 0xfe00, 0xfe10)
  table[0xfeff] = 0
  return table
})()

/** Such as the ellipsis and the number sign. */
export const foldedToSeveral: ReadonlyMap<number, readonly number[]> = new Map(
  Array.from({ length: 0x3000 }, (_, unit): [number, number[]] => [
    unit,
    Array.from(String.fromCharCode(unit).normalize('NFKC'), (one) => foldedAs[one.charCodeAt(0)] ?? needsFold),
  ]).filter(
    ([unit, folded]) => foldedAs[unit] === foldsToSeveral && folded.every((one) => one !== 0 && one < foldsToSeveral),
  ),
)

function foldedAlone(character: string): number {
  const composed = character.normalize('NFKC')
  if (dependent.test(character) || dependent.test(composed)) return needsFold
  if (composed.length > 1) return foldsToSeveral
  const read = normalizedLetters[composed.charCodeAt(0)] ?? 0
  const lower = String.fromCharCode(read).toLowerCase()
  const folded = read === 0 ? 0 : (normalizedLetters[lower.charCodeAt(0)] ?? 0)
  const kind = kindOf[folded] ?? 0
  // Signs of another script join letters as its letters do.
  return lower.length !== 1 || ((kind & kindBits.greekOrCyrillic) !== 0 && (kind & letterBits) === noLetter)
    ? needsFold
    : folded
}
