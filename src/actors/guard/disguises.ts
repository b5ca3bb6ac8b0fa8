/** All the other ways in which a text may be meant, as far as the bounds allow. */
import { decodings } from './decode.ts'
import { drawnTogether, withoutDigits } from './disguise.ts'
import { type Folded, fold } from './fold.ts'
import type { Reading } from './matcher.ts'
import type { Trie } from './trie.ts'

export interface Disguise {
  /** `base64`, or `escapes, base64` for one in the other. */
  readonly name: string
  readonly text: string
  readonly reading: Reading
  /** It is the whole text with some words read otherwise: its quotations are where they were. */
  readonly isWhole: boolean
}

/** Base64 within escapes within base64. */
const depthMax = 3

/** @param decodedCharactersMax of all that is decoded together */
export function disguisesOf({ text, cased, hidden }: Folded, trie: Trie, decodedCharactersMax: number): Disguise[] {
  const found: Disguise[] = [
    { name: 'rot13', text, reading: 'rot13', isWhole: false },
    { name: 'reversed', text, reading: 'reversed', isWhole: false },
  ]
  const add = (name: string, other: string | undefined, isWhole: boolean) => {
    if (other !== undefined && other !== '') found.push({ name, text: other, reading: 'plain', isWhole })
  }
  add('digits', withoutDigits(text), true)
  add('apart', drawnTogether(text, trie), true)
  add('hidden', fold(hidden).text, false)
  for (const { name, text: decoded } of unpacked(cased, decodedCharactersMax))
    add(name, fold(decoded).text, name === 'escapes')
  return found
}

interface Layer {
  name: string
  text: string
}

function unpacked(text: string, charactersMax: number): Layer[] {
  const all: Layer[] = []
  let layers: Layer[] = [{ name: '', text }]
  let left = charactersMax
  for (let depth = 1; depth <= depthMax; depth++) {
    const inner: Layer[] = []
    for (const outer of layers) {
      for (const { name, text: decoded } of decodings(outer.text)) {
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
