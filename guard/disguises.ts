/** Undoes every disguise of a text, within limits: each result is read as a second version of it. */
import { decodings } from './decode.ts'
import { joinedLetters, withoutDigits, withoutInnerSigns } from './disguise.ts'
import { fold } from './fold.ts'
import { type Page, readFolded } from './page.ts'
import type { ReadText } from './read-text.ts'
import { encodedSigns, signBits } from './signs.ts'
import type { Trie } from './trie.ts'
import type { Reading } from './words.ts'

export interface Disguise {
  /** `base64`, or `escapes, base64` for one in the other. */
  readonly name: string
  readonly page: Page
  readonly reading: Reading
  /** It is the whole text with some words read differently, so that its quotations are in the same places. */
  readonly isWhole: boolean
}

/** Such as base64 within escapes within base64. */
const depthMax = 3

/**
 * @param other the undone text is written here; valid while `onDisguise` runs
 * @param decodedCharactersMax of all decoded texts together
 */
export function undoDisguises(
  read: ReadText,
  trie: Trie,
  other: Page,
  decodedCharactersMax: number,
  onDisguise: (disguise: Disguise) => void,
): void {
  const { page, signs, hidden } = read
  onDisguise({ name: 'rot13', page, reading: 'rot13', isWhole: false })
  onDisguise({ name: 'reversed', page, reading: 'reversed', isWhole: false })
  const show = (name: string, isWhole: boolean) => onDisguise({ name, page: other, reading: 'plain', isWhole })
  if ((signs & signBits.digits) !== 0 && withoutDigits(page, other)) show('digits', true)
  if ((signs & (signBits.apart | signBits.inner)) !== 0 && drawTogether(read, trie, other)) show('apart', true)
  if (hidden !== '') {
    readFolded(other, fold(hidden).text)
    show('hidden', false)
  }
  if ((signs & encodedSigns) === 0) return
  for (const { name, text } of unpacked(read.cased(), signs, decodedCharactersMax)) {
    readFolded(other, fold(text).text)
    show(name, name === 'escapes')
  }
}

/** @returns false: no letters are spaced out */
function drawTogether({ page, signs, text }: ReadText, trie: Trie, other: Page): boolean {
  const hasInner = (signs & signBits.inner) !== 0
  if ((signs & signBits.apart) !== 0) {
    const joined = joinedLetters(text(), trie)
    if (joined !== text()) {
      readFolded(other, joined)
      withoutInnerSigns(other, other)
      return true
    }
  }
  if (hasInner) withoutInnerSigns(page, other)
  return hasInner
}

interface Layer {
  name: string
  text: string
}

/** @param signs of the text itself; a decoded text may contain anything */
function unpacked(text: string, signs: number, charactersMax: number): Layer[] {
  const all: Layer[] = []
  let layers: Layer[] = [{ name: '', text }]
  let left = charactersMax
  for (let depth = 1; depth <= depthMax; depth++) {
    const inner: Layer[] = []
    for (const outer of layers) {
      for (const { name, text: decoded } of decodings(outer.text, depth === 1 ? signs : encodedSigns)) {
        const part = decoded.slice(0, left)
        left -= part.length
        if (part !== '') inner.push({ name: outer.name === '' ? name : `${outer.name}, ${name}`, text: part })
      }
    }
    all.push(...inner)
    layers = inner
  }
  return all
}
