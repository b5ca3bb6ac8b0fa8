/** All words of the guard in one automaton: each word of a text is read once, whatever the size of the lexicon. */
import { packEdges } from './edges.ts'
import { firstLetter } from './units.ts'
import { createWordTree, letterAt, type WordMeanings, type WordTree } from './word-tree.ts'

/** Words by what they stand for; `instruction*` stands for every word that begins so. */
export type Lexicon = Readonly<Record<string, string>>

export interface Trie {
  /**
   * One number an edge: its letter, the meaning of a word that ends there, and where the next edges begin; an edge is at
   * that place plus its letter.
   */
  readonly cells: Uint32Array
  /** Where the edges of the first letters begin. */
  readonly root: number
  /** Four numbers a meaning: ideas and families of a word that ends here, ideas and families of a longer one. */
  readonly meanings: Uint16Array
  /** Lists of ideas, each ended by `listEnd`; a list is named by where it begins, and 0 is the empty one. */
  readonly ideaLists: Uint8Array
  /** The same of families. */
  readonly familyLists: Uint8Array
  /** Families of words that have digits in them, as no edge has. */
  readonly familiesOfOtherWords: ReadonlyMap<string, number>
  /** The longest of them. */
  readonly otherWordLettersMax: number
  /** Numbers by name. */
  readonly ideas: ReadonlyMap<string, number>
  /** Names by number. */
  readonly families: readonly string[]
  /** An estimate of how often each idea occurs, by number: short words occur often. */
  readonly commonness: readonly number[]
}

export const listEnd = 255

/** Prefixes of families have so many letters; longer ones are cut. */
const beginningLettersMin = 3
const beginningLettersMax = 8

/**
 * @param lexicon by ideas of the rules: a word has all that name it or a beginning of it
 * @param families of the learned part: a word has those that name it, or else those of its longest beginning
 * @throws RangeError for a word that no text can have, and where there is too much of anything
 */
export function buildTrie(lexicon: Lexicon, families: Lexicon = {}): Trie {
  const tree = createWordTree()
  const ideas = new Map<string, number>()
  const commonness: number[] = []
  for (const [idea, written] of Object.entries(lexicon)) {
    const words = wordsOf(written)
    for (const word of words) tree.add(word, 'ideas', ideas.size)
    commonness.push(words.reduce((sum, { length }) => sum + 2 ** -length, 0))
    ideas.set(idea, ideas.size)
  }
  const names = Object.keys(families)
  const strange = new Map<string, number[]>()
  for (const [family, name] of names.entries())
    for (const word of wordsOf(families[name] ?? '')) {
      if (isStrange(word)) strange.set(word, [...(strange.get(word) ?? []), family])
      else tree.add(cutBeginning(word), 'families', family)
    }
  if (Math.max(ideas.size, names.length) >= listEnd) throw new RangeError('a list has room for 255 ideas or families')
  const ideaLists = createLists()
  const familyLists = createLists()
  const { meaningOf, meanings } = meaningsOf(tree, ideaLists, familyLists)
  const familiesOfStrange = new Map([...strange].map(([word, list]) => [word, familyLists.placeOf(list)]))
  return {
    ...packEdges(tree, meaningOf),
    meanings,
    ideaLists: ideaLists.bytes(),
    familyLists: familyLists.bytes(),
    familiesOfOtherWords: familiesOfStrange,
    otherWordLettersMax: Math.max(0, ...[...strange.keys()].map(({ length }) => length)),
    ideas,
    families: names,
    commonness,
  }
}

export function numberOf(trie: Trie, idea: string): number {
  const number = trie.ideas.get(idea)
  if (number === undefined) throw new RangeError(`a rule names the idea "${idea}", which the lexicon does not have`)
  return number
}

const wordsOf = (written: string): string[] => written.split(/\s+/).filter((word) => word !== '')

const isStrange = (word: string): boolean =>
  !word.endsWith('*') && Array.from(word, (_, at) => letterAt(word, at)).some((letter) => letter < firstLetter)

function cutBeginning(word: string): string {
  if (!word.endsWith('*')) return word
  if (word.length <= beginningLettersMin) throw new RangeError(`"${word}" is too short a beginning`)
  return word.length <= beginningLettersMax ? word : `${word.slice(0, beginningLettersMax)}*`
}

interface Lists {
  /** @returns where it begins; equal ones are there once */
  placeOf(numbers: readonly number[]): number
  bytes(): Uint8Array
}

function createLists(): Lists {
  const all: number[] = [listEnd]
  const places = new Map([['', 0]])
  return {
    placeOf(numbers) {
      const key = numbers.join()
      const place = places.get(key) ?? all.length
      if (place === all.length) {
        places.set(key, place)
        all.push(...numbers, listEnd)
      }
      return place
    },
    bytes: () => Uint8Array.from(all),
  }
}

interface Meanings {
  /** By node. */
  readonly meaningOf: Uint16Array
  readonly meanings: Uint16Array
}

const nothing: WordMeanings = { ideas: [], families: [] }

/** What is said of a beginning is said of all behind it; of families only as long as nothing else is said. */
function meaningsOf(
  { parents, meaningsOfWord: ofWord, meaningsOfPrefix: ofBeginning }: WordTree,
  ideaLists: Lists,
  familyLists: Lists,
): Meanings {
  const numbers = new Map<string, number>()
  const meanings: number[] = []
  const begun: WordMeanings[] = []
  /** By node; most have the meaning of a longer word as the node before them. */
  const longer = new Uint16Array(parents.length)
  const numberOf = (whole: WordMeanings, beginning: WordMeanings): number => {
    const four = [whole, beginning].flatMap((said) => [
      ideaLists.placeOf(said.ideas),
      familyLists.placeOf(said.families),
    ])
    const key = four.join()
    const number = numbers.get(key) ?? meanings.push(...four) / 4 - 1
    numbers.set(key, number)
    return number
  }
  const meaningOf = Uint16Array.from(parents, (parent, node) => {
    const before = begun[parent] ?? nothing
    const own = ofBeginning.get(node)
    const beginning = own
      ? { ideas: union(own.ideas, before.ideas), families: preferred(own.families, before.families) }
      : before
    begun.push(beginning)
    longer[node] = own || node === 0 ? numberOf(beginning, beginning) : (longer[parent] ?? 0)
    const said = ofWord.get(node)
    if (!said) return longer[node] ?? 0
    return numberOf(
      { ideas: union(said.ideas, beginning.ideas), families: preferred(said.families, beginning.families) },
      beginning,
    )
  })
  return { meaningOf, meanings: Uint16Array.from(meanings) }
}

const union = (own: readonly number[], others: readonly number[]): number[] => [...new Set([...own, ...others])]
const preferred = (own: number[], others: number[]): number[] => (own.length > 0 ? own : others)
