/** A text on the guard's page; what few texts need is computed on demand. */
import { fold } from './fold.ts'
import { type Page, pageText, readFolded, readUnfolded } from './page.ts'
import { encodedSigns, signBits, signsOf } from './signs.ts'

export interface ReadText {
  readonly page: Page
  /** Bits of signs.ts. */
  readonly signs: number
  /** Folded, as on the page. */
  text(): string
  /** The same with upper and lower case, for decoders. */
  cased(): string
  /** Text in invisible characters. */
  readonly hidden: string
}

/** @param given no longer than the guard reads */
export function readText(page: Page, original: string): ReadText {
  if (readUnfolded(page, original)) {
    let text: string | undefined
    return {
      page,
      signs: signsOf(page),
      text: () => (text ??= pageText(page)),
      cased: () => fold(original).cased,
      hidden: '',
    }
  }
  const { text, cased, hidden } = fold(original)
  readFolded(page, text)
  // Rare signs that end lines or separate words are not detected, so these are always assumed.
  const signs = signsOf(page) | signBits.marks | signBits.markup | encodedSigns
  return { page, signs, text: () => text, cased: () => cased, hidden }
}

/** Where folding made the text longer than this: its beginning and its end, on the same page. */
export function readPart(read: ReadText, charactersMax: number): ReadText {
  if (read.page.length <= charactersMax && read.hidden.length <= charactersMax) return read
  const text = bounded(read.text(), charactersMax)
  readFolded(read.page, text)
  return {
    page: read.page,
    signs: signsOf(read.page) | encodedSigns,
    text: () => text,
    cased: () => bounded(read.cased(), charactersMax),
    hidden: bounded(read.hidden, charactersMax),
  }
}

/** @returns the first three quarters and the last quarter of a longer text */
export function bounded(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const tail = lengthMax / 4
  return `${text.slice(0, lengthMax - tail - 1)}\n${text.slice(-tail)}`
}
