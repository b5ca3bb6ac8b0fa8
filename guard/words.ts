/** The words of a page that are in the lexicon, in three readings of their letters. */
import { beginShift, meaningBits, meaningShift } from './edges.ts'
import type { Page } from './page.ts'
import type { Trie } from './trie.ts'
import { firstLetter, kindBits, letterBits, lettersMax, otherLetter } from './units.ts'

/** plain: as written. rot13: each letter moved thirteen places. reversed: from the end to the beginning. */
export type Reading = 'plain' | 'rot13' | 'reversed'

/** In reading order. From `count` on it is left over from earlier texts. */
export interface LexiconWords {
  /** The ideas of each word, as a list of the trie. */
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

const initialWords = 256

export function createLexiconWords(): LexiconWords {
  const words = { count: 0, placeCount: 0 } as LexiconWords
  resize(words, initialWords)
  return words
}

function resize(words: LexiconWords, count: number): void {
  words.sets = new Uint16Array(count)
  words.places = new Uint32Array(count)
  words.starts = new Uint32Array(count)
  words.ends = new Uint32Array(count)
}

const asWritten = Uint8Array.from({ length: lettersMax }, (_, letter) => letter)
/** Only the first 26 letters; the others are not moved by the cipher and would be found twice. */
const moved = asWritten.map((letter) => {
  const at = letter - firstLetter
  return at >= 0 && at < 26 ? firstLetter + ((at + 13) % 26) : otherLetter
})

/**
 * Each word costs as many steps as it has letters in common with some word that the trie has. As written, what families
 * each has is left on the page.
 */
export function readWords(words: LexiconWords, page: Page, trie: Trie, reading: Reading): void {
  const { starts, ends, places, wordCount, placeCount } = page
  if (words.sets.length < wordCount) resize(words, Math.max(wordCount, words.sets.length * 2))
  const { meanings } = trie
  const letters = reading === 'rot13' ? moved : asWritten
  const isReversed = reading === 'reversed'
  const isPlain = reading === 'plain'
  if (isPlain) fetched.sum = fetchAhead(page, trie)
  let count = 0
  for (let nth = 0; nth < wordCount; nth++) {
    const word = isReversed ? wordCount - 1 - nth : nth
    const start = starts[word] ?? 0
    const end = ends[word] ?? 0
    const meaning = isReversed
      ? meaningOf(page, trie, letters, end - 1, start - 1, -1)
      : meaningOf(page, trie, letters, start, end, 1)
    if (isPlain) page.families[word] = familiesOf(page, trie, word, meanings[meaning + 1] ?? 0)
    const set = meanings[meaning] ?? 0
    if (set === 0) continue
    words.sets[count] = set
    words.places[count] = isReversed ? placeCount + 1 - (places[word] ?? 0) : (places[word] ?? 0)
    words.starts[count] = start
    words.ends[count++] = end
  }
  words.count = count
  words.placeCount = placeCount
}

/** Kept, or a compiler might leave out what nobody asks for. */
const fetched = { sum: 0 }

/**
 * Looks at what the first letters of each word lead to, without asking what it is: so the processor waits for the memory
 * of many words at once, and not for each letter's by itself.
 */
function fetchAhead({ starts, kinds, wordCount }: Page, { cells, root }: Trie): number {
  let sum = 0
  for (let word = 0; word < wordCount; word++) {
    const start = starts[word] ?? 0
    const first = cells[root + ((kinds[start] ?? 0) & letterBits)] ?? 0
    const second = cells[(first >>> beginShift) + ((kinds[start + 1] ?? 0) & letterBits)] ?? 0
    const third = cells[(second >>> beginShift) + ((kinds[start + 2] ?? 0) & letterBits)] ?? 0
    const fourth = cells[(third >>> beginShift) + ((kinds[start + 3] ?? 0) & letterBits)] ?? 0
    sum ^= fourth
  }
  return sum
}

/** @returns where in `Trie.meanings` it stands; 0: the word means nothing */
function meaningOf(page: Page, trie: Trie, letters: Uint8Array, from: number, to: number, step: number): number {
  const { kinds } = page
  const { cells } = trie
  let cell = 0
  let begin = trie.root
  for (let at = from; at !== to; at += step) {
    const letter = letters[(kinds[at] ?? 0) & letterBits] ?? 0
    const next = cells[begin + letter] ?? 0
    if ((next & letterBits) !== letter) return ((cell >>> meaningShift) & meaningBits) * 4 + 2
    cell = next
    begin = next >>> beginShift
  }
  return ((cell >>> meaningShift) & meaningBits) * 4
}

/** Of "base64" and its kind, which are none of the letters of the trie. */
function familiesOf(page: Page, trie: Trie, word: number, families: number): number {
  const any = page.wordKinds[word] ?? 0
  if ((any & kindBits.digit) === 0 || (any & kindBits.latin) === 0) return families
  const { units, starts, ends } = page
  const start = starts[word] ?? 0
  const end = ends[word] ?? 0
  if (end - start > trie.otherWordLettersMax) return families
  return trie.familiesOfOtherWords.get(String.fromCharCode(...units.subarray(start, end))) ?? families
}
