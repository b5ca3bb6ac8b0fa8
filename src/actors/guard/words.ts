/** The words of a page that the lexicon knows, in the three ways that their letters may stand. */
import type { Page } from './page.ts'
import { rootState, type Trie } from './trie.ts'
import { firstLetter, letterBits, lettersMax, strangeLetter } from './units.ts'

/** How the letters stand: as written, each moved thirteen places, or from the end to the beginning. */
export type Reading = 'plain' | 'rot13' | 'reversed'

/** In the order of reading. What stands from `count` on is left from texts before. */
export interface KnownWords {
  /** Which ideas it stands for, as a number of the trie's sets. */
  sets: Uint16Array
  /** Its place among all words and ends of sentences, counted from 1 from where reading begins. */
  places: Uint32Array
  /** In the page. */
  starts: Uint32Array
  ends: Uint32Array
  count: number
  /** Places in the whole page. */
  placeCount: number
}

const wordsFirst = 256

export function createKnownWords(): KnownWords {
  const words = { count: 0, placeCount: 0 } as KnownWords
  resize(words, wordsFirst)
  return words
}

function resize(words: KnownWords, count: number): void {
  words.sets = new Uint16Array(count)
  words.places = new Uint32Array(count)
  words.starts = new Uint32Array(count)
  words.ends = new Uint32Array(count)
}

const asWritten = Uint8Array.from({ length: lettersMax }, (_, letter) => letter)
/** Only the first 26 letters; the others are not moved by the cipher and would be found twice. */
const moved = asWritten.map((letter) => {
  const at = letter - firstLetter
  return at >= 0 && at < 26 ? firstLetter + ((at + 13) % 26) : strangeLetter
})

/** Each word costs as many steps as it has letters in common with some word of the lexicon. */
export function readWords(words: KnownWords, page: Page, trie: Trie, reading: Reading): void {
  const { starts, ends, places, wordCount, placeCount } = page
  if (words.sets.length < wordCount) resize(words, Math.max(wordCount, words.sets.length * 2))
  const letters = reading === 'rot13' ? moved : asWritten
  const isReversed = reading === 'reversed'
  let count = 0
  for (let nth = 0; nth < wordCount; nth++) {
    const word = isReversed ? wordCount - 1 - nth : nth
    const start = starts[word] ?? 0
    const end = ends[word] ?? 0
    const set = isReversed
      ? ideasOf(page, trie, letters, end - 1, start - 1, -1)
      : ideasOf(page, trie, letters, start, end, 1)
    if (set === 0) continue
    words.sets[count] = set
    words.places[count] = isReversed ? placeCount + 1 - (places[word] ?? 0) : (places[word] ?? 0)
    words.starts[count] = start
    words.ends[count++] = end
  }
  words.count = count
  words.placeCount = placeCount
}

/** @returns number of the set; 0: the lexicon does not know the word */
function ideasOf(page: Page, { cells }: Trie, letters: Uint8Array, from: number, to: number, step: number): number {
  const { kinds } = page
  let state: number = rootState
  let begin = (cells[rootState * 2] ?? 0) & 0xffff
  let at = from
  for (; at !== to; at += step) {
    const next = begin + (letters[(kinds[at] ?? 0) & letterBits] ?? 0)
    const cell = cells[next * 2] ?? 0
    if (cell >>> 16 !== state) break
    state = next
    begin = cell & 0xffff
  }
  if (state === rootState) return 0
  const sets = cells[state * 2 + 1] ?? 0
  return at === to ? sets >>> 16 : sets & 0xffff
}
