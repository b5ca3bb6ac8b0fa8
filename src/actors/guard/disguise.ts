/** Words in disguise: digits for letters, letters that stand apart, signs within words. Each is undone as a second way to read the text. */
import { noLetter, type Trie } from './trie.ts'

const latinDigits: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
}
const cyrillicDigits: Readonly<Record<string, string>> = { 0: 'о', 3: 'з', 4: 'ч', 6: 'б', '@': 'а' }

const hasDigitInWord = /[a-zа-я][0134568@$!|7]{1,3}[a-zа-я]|(?:^|[^a-zа-я0-9])[0134567@$!|]{1,2}[a-zа-я]{2}/
/** Two letters are enough beside the digits: what becomes of a name such as "gpt4" is no word of any rule. */
const isMixed = /[a-zа-я][^ ]*[a-zа-я]/
const wordWithDigits = /[a-zа-я0-9@$!|]{3,40}/g

/** @returns undefined where nothing is written so */
export function withoutDigits(text: string): string | undefined {
  if (!hasDigitInWord.test(text)) return undefined
  return text.replace(wordWithDigits, (word) => {
    if (!isMixed.test(word)) return word
    const table = /[а-я]/.test(word) ? cyrillicDigits : latinDigits
    return word.replace(/[^a-zа-я]/g, (sign) => table[sign] ?? sign)
  })
}

const apart = /(?<![\p{L}\p{N}])(?:[a-zа-я][ .,_\-*|/~\n]{1,3}){4,}[a-zа-я](?![\p{L}\p{N}])/gu
const inner = /(?<=[a-zа-я])[*_~.\-|\\^+·•]{1,2}(?=[a-zа-я])/g
const hasInner = /[a-zа-я][*_~.\-|\\^+·•]{1,2}[a-zа-я]/

/** @returns undefined where nothing stands apart */
export function drawnTogether(text: string, trie: Trie): string | undefined {
  const joined = text.replace(apart, (run) => wordsIn(run.replace(/[^a-zа-я]/g, ''), trie))
  if (joined === text && !hasInner.test(text)) return undefined
  return joined.replace(inner, '')
}

/** The longest word of the lexicon at each place; what is none is left out. */
function wordsIn(run: string, trie: Trie): string {
  const words: string[] = []
  let at = 0
  while (at < run.length) {
    const length = longestWord(run, at, trie)
    if (length > 1) words.push(run.slice(at, at + length))
    at += Math.max(1, length)
  }
  return words.join(' ')
}

function longestWord(run: string, from: number, trie: Trie): number {
  let longest = 0
  let state = 1
  for (let at = from; at < run.length; at++) {
    state = trie.next[state * trie.width + (trie.letters[run.charCodeAt(at)] ?? noLetter)] ?? 0
    if (state === 0) break
    if ((trie.whole[state]?.length ?? 0) > 0) longest = at - from + 1
  }
  return longest
}
