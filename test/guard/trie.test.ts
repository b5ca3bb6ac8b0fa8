/** The trie: what each word means, whatever it has in common with others, and how much memory that takes. */
import { expect, test } from 'vitest'
import { lexicon } from '../../guard/lexicon.ts'
import { families } from '../../guard/likelihood/families.ts'
import { createPage, readFolded } from '../../guard/page.ts'
import { buildTrie, type Lexicon, listEnd, type Trie } from '../../guard/trie.ts'
import { vocabulary } from '../../guard/vocabulary.ts'
import { createLexiconWords, readWords } from '../../guard/words.ts'

const page = createPage()
const words = createLexiconWords()

function listed(lists: Uint8Array, from: number, names: readonly string[]): string[] {
  return [...lists.subarray(from, lists.indexOf(listEnd, from))].map((number) => names[number] ?? '')
}

function meaningOf(trie: Trie, word: string): { ideas: string[]; families: string[] } {
  readFolded(page, word)
  readWords(words, page, trie, 'plain')
  const ideas = words.count === 0 ? [] : listed(trie.ideaLists, words.sets[0] ?? 0, [...trie.ideas.keys()])
  return { ideas: ideas.sort(), families: listed(trie.familyLists, page.families[0] ?? 0, trie.families) }
}

const familiesOf = (trie: Trie, word: string): string[] => meaningOf(trie, word).families

test('a word has all the families that name it, and a prefix its own', () => {
  const trie = buildTrie(
    {},
    { rules: 'rule rules order', trade: 'order deliver*', orders: 'instruct*', codes: 'rot13' },
  )
  expect(familiesOf(trie, 'order')).toEqual(['rules', 'trade'])
  expect(familiesOf(trie, 'delivery')).toEqual(['trade'])
  expect(familiesOf(trie, 'instructions')).toEqual(['orders'])
  expect(familiesOf(trie, 'of')).toEqual([])
  expect(familiesOf(trie, 'ordered')).toEqual([])
  expect(familiesOf(trie, 'rot13')).toEqual(['codes'])
  expect(familiesOf(trie, 'rot14')).toEqual([])
})

test('of two prefixes of a word families take only the longer one, and ideas take both', () => {
  const trie = buildTrie({ drop: 'dis*', hide: 'disguis*' }, { drop: 'dis*', hide: 'disguis*' })
  expect(meaningOf(trie, 'disguised')).toEqual({ ideas: ['drop', 'hide'], families: ['hide'] })
  expect(meaningOf(trie, 'disgust')).toEqual({ ideas: ['drop'], families: ['drop'] })
})

test('a prefix of two letters is refused, and so is a letter that no text has', () => {
  expect(() => buildTrie({}, { all: 'al*' })).toThrow(RangeError)
  expect(() => buildTrie({ odd: 'naïve' })).toThrow('ï')
  expect(() => buildTrie({}, { odd: 'naïv*' })).toThrow('ï')
})

const entries = (from: Lexicon): [name: string, word: string][] =>
  Object.entries(from).flatMap(([name, written]) =>
    (written.match(/\S+/g) ?? []).map((word): [string, string] => [name, word]),
  )

/** By word and by beginning, what is written for it. */
function byWord(from: Lexicon, lettersMax: number): Map<string, string[]> {
  const all = new Map<string, string[]>()
  for (const [name, word] of entries(from)) {
    const key = word.endsWith('*') ? `${word.slice(0, Math.min(word.length - 1, lettersMax))}*` : word
    all.set(key, [...new Set([...(all.get(key) ?? []), name])])
  }
  return all
}

test('every word that is written down, cut anywhere or led on by another letter means what is written for it', () => {
  const ideas = byWord(lexicon, 100)
  const named = byWord(families, 8)
  const wrong: string[] = []
  const known = [...entries(lexicon), ...entries(families)].map(([, word]) => word.replace('*', ''))
  const begun = new Set(known.flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1))))
  for (const beginning of begun)
    for (const letter of ['', ...'aeilnrstъаеинотс']) {
      const word = beginning + letter
      if (!/^[a-zа-я']+$/.test(word)) continue
      const beginnings = Array.from(word, (_, at) => `${word.slice(0, at + 1)}*`)
      const wanted = {
        ideas: [...new Set([word, ...beginnings].flatMap((key) => ideas.get(key) ?? []))].sort(),
        families: [word, ...beginnings.reverse()].map((key) => named.get(key)).find((found) => found) ?? [],
      }
      if (JSON.stringify(meaningOf(vocabulary(), word)) !== JSON.stringify(wanted)) wrong.push(word)
    }
  expect(wrong).toEqual([])
  expect(begun.size).toBeGreaterThan(7_000)
})

/** As much as is looked at for any word of any text: what is larger than this is in no fast cache when it is needed. */
test('all words are in 48 KB', () => {
  const { cells, meanings, ideaLists, familyLists } = vocabulary()
  const bytes = [cells, meanings, ideaLists, familyLists].reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(bytes).toBeLessThanOrEqual(48 * 1024)
})

test('more words, or more kinds of them, than there is room for are refused', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const nth = (number: number): string =>
    Array.from({ length: 6 }, (_, at) => letters[Math.floor(number / 26 ** at) % 26]).join('')
  const words = Array.from({ length: 12_000 }, (_, at) => nth((at * 7_919_993) % 26 ** 6))
  expect(() => buildTrie({ all: words.join(' ') })).toThrow('too many words')
  const kinds = Array.from({ length: 12 }, (_, bit) => [
    `idea ${bit}`,
    words
      .slice(0, 4_096)
      .filter((_word, at) => (at & (1 << bit)) !== 0)
      .join(' '),
  ])
  expect(() => buildTrie(Object.fromEntries(kinds))).toThrow('too many words')
})
