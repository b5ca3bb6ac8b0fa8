/** Disguised words: digits for letters, spaced letters, signs within words. Each is undone into a second version of the text. */
import { beginShift, meaningBits, meaningShift } from './edges.ts'
import { ensureCapacity, type Page, refreshKinds } from './page.ts'
import type { Trie } from './trie.ts'
import { kindBits, kindOf, letterBits } from './units.ts'

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

/** The same for one unit of ASCII. */
const lettersFor = (digits: Readonly<Record<string, string>>): Uint16Array =>
  Uint16Array.from({ length: 0x80 }, (_, unit) => (digits[String.fromCharCode(unit)] ?? '').charCodeAt(0) || unit)
const asLatin = lettersFor(latinDigits)
const asCyrillic = lettersFor(cyrillicDigits)

const has = (kind: number | undefined, bit: number): boolean => ((kind ?? 0) & bit) !== 0

/** Longer words are read in parts of this length. */
const wordCharactersMax = 40
const wordCharactersMin = 3

/** Writes the text, with digits read as letters, to another page. @returns false: there are no such digits */
export function withoutDigits(page: Page, other: Page): boolean {
  if (!hasDigitInWord(page)) return false
  const { units, kinds, length } = page
  ensureCapacity(other, length)
  other.length = length
  for (let at = 0; at < length; ) {
    let end = at
    let letters = 0
    let any = 0
    for (; end < length && end - at < wordCharactersMax && mayBeLetter(kinds[end] ?? 0); end++) {
      const kind = kinds[end] ?? 0
      any |= kind
      if (has(kind, kindBits.alphabetLetter)) letters++
    }
    // Two letters beside the digits are enough: a name such as "gpt4" becomes no word of any rule.
    const isMixed = end - at >= wordCharactersMin && letters >= 2
    const table = has(any, kindBits.greekOrCyrillic) ? asCyrillic : asLatin
    for (end = Math.max(end, at + 1); at < end; at++) {
      const unit = units[at] ?? 0
      other.units[at] = isMixed ? (table[unit] ?? unit) : unit
    }
  }
  refreshKinds(other)
  return true
}

/** Letters of the alphabet and digits, as written or in disguise. */
function mayBeLetter(kind: number): boolean {
  return has(kind, kindBits.alphabetLetter | kindBits.letterSubstitute | kindBits.digit)
}

const signsInWordMax = 3
const signsBeforeWordMax = 2
const eight = 0x38

/** As in `w0rd` and `1gnore`; an eight begins no word, or every "8GB" would be one. */
function hasDigitInWord({ units, kinds, length }: Page): boolean {
  for (let at = 1; at < length; at++) {
    if (!has(kinds[at], kindBits.alphabetLetter) || !has(kinds[at - 1], kindBits.letterSubstitute)) continue
    let from = at - 1
    while (from > 0 && has(kinds[from - 1], kindBits.letterSubstitute)) from--
    if (at - from <= signsInWordMax && from > 0 && has(kinds[from - 1], kindBits.alphabetLetter)) return true
    if (!has(kinds[at + 1], kindBits.alphabetLetter) || at + 1 >= length) continue
    for (let first = at - 1; first >= Math.max(0, at - signsBeforeWordMax); first--) {
      if (!has(kinds[first], kindBits.letterSubstitute) || units[first] === eight) break
      if (first === 0 || !has(kinds[first - 1], kindBits.alphabetLetter | kindBits.digit)) return true
    }
  }
  return false
}

const apart = /(?<![\p{L}\p{N}])(?:[a-zа-я][ .,_\-*|/~\n]{1,3}){4,}[a-zа-я](?![\p{L}\p{N}])/gu

/** @returns the text itself where no letters are spaced out */
export function joinedLetters(text: string, trie: Trie): string {
  return text.replace(apart, (run) => wordsIn(run.replace(/[^a-zа-я]/g, ''), trie))
}

const innerSignsMax = 2

/** Removes signs between the letters of a word. The other page may be the same one. */
export function withoutInnerSigns(page: Page, other: Page): void {
  const { units, kinds, length } = page
  ensureCapacity(other, length)
  let written = 0
  let isBehindLetter = false
  for (let at = 0; at < length; at++) {
    const kind = kinds[at] ?? 0
    if (isBehindLetter && has(kind, kindBits.betweenLetters)) {
      let end = at + 1
      while (end < length && end - at < innerSignsMax && has(kinds[end], kindBits.betweenLetters)) end++
      if (end < length && has(kinds[end], kindBits.alphabetLetter)) at = end
    }
    isBehindLetter = has(kinds[at], kindBits.alphabetLetter)
    other.units[written++] = units[at] ?? 0
  }
  other.length = written
  refreshKinds(other)
}

/** The longest word of the lexicon at each place; other letters are left out. */
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

function longestWord(run: string, from: number, { cells, root, meanings }: Trie): number {
  let longest = 0
  let begin = root
  for (let at = from; at < run.length; at++) {
    const letter = (kindOf[run.charCodeAt(at)] ?? 0) & letterBits
    const cell = cells[begin + letter] ?? 0
    if ((cell & letterBits) !== letter) break
    if (meanings[((cell >>> meaningShift) & meaningBits) * 4] !== 0) longest = at - from + 1
    begin = cell >>> beginShift
  }
  return longest
}
