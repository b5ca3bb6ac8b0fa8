/** A text on the guard's page, with what only few texts are asked for: made when it is asked. */
import { fold } from './fold.ts'
import { type Page, readFolded, readGiven, textOf } from './page.ts'
import { encodedSigns, signBits, signsOf } from './signs.ts'

export interface ReadText {
  readonly page: Page
  /** What signs.ts saw. */
  readonly signs: number
  /** Folded, as on the page. */
  text(): string
  /** The same with upper and lower case, for what is decoded. */
  cased(): string
  /** What stood in characters that nobody sees. */
  readonly hidden: string
}

/** @param given within the guard's bound */
export function readText(page: Page, given: string): ReadText {
  if (readGiven(page, given)) {
    let text: string | undefined
    return {
      page,
      signs: signsOf(page),
      text: () => (text ??= textOf(page)),
      cased: () => fold(given).cased,
      hidden: '',
    }
  }
  const { text, cased, hidden } = fold(given)
  readFolded(page, text)
  // Rare signs, which end a line or part words, are not looked for.
  const signs = signsOf(page) | signBits.marks | signBits.markup | encodedSigns
  return { page, signs, text: () => text, cased: () => cased, hidden }
}

/** Its beginning and its end, on the same page, where folding made it longer than this. */
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
