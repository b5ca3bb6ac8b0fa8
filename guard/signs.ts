/** Which marks and encodings may be in a text, so that expressions and decoders run only where they can find something. */
import type { Page } from './page.ts'
import { kindBits, kindOf, letterBits } from './units.ts'

/** A bit that is not set rules its thing out. */
export const signBits = {
  /** The beginning of a role mark or of a control token: `system:`, `<|`, `[/`. */
  marks: 1,
  /** Marks that weigh in untrusted texts alone. */
  markup: 2,
  /** Digits that stand for letters: `1gnore`. */
  digits: 4,
  /** Letters apart from each other: `i g n o r e`. */
  apart: 8,
  /** Characters between the letters of a word: `ig.no.re`. */
  inner: 16,
  base64: 32,
  hex: 64,
  escapes: 128,
} as const
/** Texts within texts. */
export const encodedSigns = signBits.base64 | signBits.hex | signBits.escapes
/** A line begins; used in this file only. */
const newLine = 256

const unit = (character: string): number => character.charCodeAt(0)
const space = unit(' ')
const exclamation = unit('!')
const lineEnd = unit('\n')

/** Of five spaced letters, those in the middle. */
const singlesMin = 3

/** The shortest that decode.ts decodes. */
const base64CharactersMin = 16
const hexDigitsMin = 24

/** Reads word by word, with the signs before each. */
export function signsOf(page: Page): number {
  const { starts, ends, kinds, units, wordKinds, wordCount, length } = page
  let signs = 0
  let singles = 0
  let before = 0
  /** Lengths of the unbroken runs, up to this place, of what may be base64 and of what may be hexadecimal digits. */
  let base64 = 0
  let hex = 0
  for (let word = 0; word <= wordCount; word++) {
    const isWord = word < wordCount
    const start = isWord ? (starts[word] ?? 0) : length
    let between = 0
    if (start - before === 1 && units[before] === space) base64 = 0
    else {
      between = signsBetween(page, before, start)
      for (let at = before; at < start; at++) {
        base64 = has(kinds[at], kindBits.base64) ? base64 + 1 : 0
        if (base64 >= base64CharactersMin) between |= signBits.base64
        if (!has(kinds[at], kindBits.hex)) hex = 0
      }
      signs |= between
    }
    if (!isWord) break
    const end = ends[word] ?? 0
    const letters = end - start
    const any = wordKinds[word] ?? 0
    if ((word === 0 || (between & newLine) !== 0) && letters >= 3 && roles.has(beginningOf(kinds, start)))
      signs |= signBits.marks
    if ((any & kindBits.letterSubstitute) !== 0 && isDigitBeforeLetter(kinds, start, end)) signs |= signBits.digits
    if (letters > 1 || (any & kindBits.alphabetLetter) === 0) singles = 0
    else if (++singles >= singlesMin) signs |= signBits.apart
    base64 = has(any, kindBits.base64) ? base64 + letters : 0
    if (base64 >= base64CharactersMin) signs |= signBits.base64
    const isHex = has(any, kindBits.hex)
    if (isHex && hex + letters >= hexDigitsMin) signs |= signBits.hex
    const all = any >>> 16
    if (has(all, kindBits.hex)) hex += letters
    // Within a word, digits can begin only after a letter of another script.
    else hex = !isHex || has(all, kindBits.base64) ? 0 : letters
    before = end
  }
  return signs & ~newLine
}

/** The first three letters of each role in marks.ts. */
const roles = new Set(
  ['sys', 'dev', 'ass', 'сис', 'too', 'end', 'beg'].map((role) =>
    beginningOf(
      Uint16Array.from(role, (letter) => kindOf[unit(letter)] ?? 0),
      0,
    ),
  ),
)

function beginningOf(kinds: Uint16Array, start: number): number {
  let code = 0
  for (let at = start; at < start + 3; at++) code = code * 64 + ((kinds[at] ?? 0) & letterBits)
  return code
}

function isDigitBeforeLetter(kinds: Uint16Array, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++)
    if (has(kinds[at], kindBits.alphabetLetter) && has(kinds[at - 1], kindBits.letterSubstitute)) return true
  return false
}

const has = (kind: number | undefined, bit: number): boolean => ((kind ?? 0) & bit) !== 0

/** @param from where a word ended, or the text began; @param to where the next begins, or the text ends */
function signsBetween({ kinds, units, length }: Page, from: number, to: number): number {
  let signs = 0
  let isInner = to - from <= 2 && from > 0 && has(kinds[from - 1], kindBits.alphabetLetter)
  for (let at = from; at < to; at++) {
    const kind = kinds[at] ?? 0
    if ((kind & kindBits.betweenLetters) === 0) isInner = false
    if ((kind & kindBits.signStart) !== 0) signs |= signsAt(units, kinds, at)
  }
  if (to === length || from === to || !has(kinds[to], kindBits.alphabetLetter)) return signs
  if (isInner) signs |= signBits.inner
  if (has(kinds[to - 1], kindBits.letterSubstitute)) signs |= signBits.digits
  return signs
}

const oneOf = (characters: string): ReadonlySet<number> => new Set(Array.from(characters, unit))
const behindLess = oneOf('|</se')
const behindBracket = oneOf('/i')
const beforeColon = oneOf('yer')
const behindBackslash = oneOf('ux')

function signsAt(units: Uint16Array, kinds: Uint16Array, at: number): number {
  const next = units[at + 1] ?? 0
  const before = units[at - 1] ?? 0
  switch (units[at]) {
    case lineEnd:
      return newLine
    case 0x3c: // <
      if (next === exclamation) return signBits.markup
      return behindLess.has(next) ? signBits.marks : 0
    case 0x5b: // [
      if (before === exclamation) return signBits.markup | (behindBracket.has(next) ? signBits.marks : 0)
      return behindBracket.has(next) ? signBits.marks : 0
    case 0x3a: // : as in "display: none"
      return beforeColon.has(before) ? signBits.markup : 0
    case 0x25: // % before a digit; what is a Cyrillic letter here may be a Latin one in the text that is decoded
      return next >= 0x400 || (has(kinds[at + 1], letterBits) && has(kinds[at + 1], kindBits.hex))
        ? signBits.escapes
        : 0
    case 0x26: // & before #
      return next === 0x23 ? signBits.escapes : 0
    case 0x5c: // backslash
      return behindBackslash.has(next) ? signBits.escapes : 0
    default:
      return 0
  }
}
