/** Words as a tree of letters: the input from which the trie is built, and garbage afterwards. */
import { firstLetter, kindOf, letterBits } from './units.ts'

/** The meanings of a word, or of all words with a prefix: numbers of ideas and of families. */
export interface WordMeanings {
  ideas: number[]
  families: number[]
}

export interface WordTree {
  /** By node; 0 is the root. Children have higher numbers. */
  readonly letters: readonly number[]
  readonly parents: readonly number[]
  /** By node, its first and its next neighbour, whose letters rise; 0: none. */
  readonly children: readonly number[]
  readonly neighbours: readonly number[]
  readonly meaningsOfWord: ReadonlyMap<number, WordMeanings>
  readonly meaningsOfPrefix: ReadonlyMap<number, WordMeanings>
  /**
   * @param written `instruct*` stands for every word that begins so
   * @throws RangeError for a word that no text can have
   */
  add(written: string, kind: keyof WordMeanings, number: number): void
}

export function createWordTree(): WordTree {
  const letters = [0]
  const parents = [0]
  const children = [0]
  const neighbours = [0]
  const ofWord = new Map<number, WordMeanings>()
  const ofBeginning = new Map<number, WordMeanings>()

  function nodeBehind(parent: number, letter: number): number {
    let before = 0
    let node = children[parent] ?? 0
    while (node !== 0 && (letters[node] ?? 0) < letter) {
      before = node
      node = neighbours[node] ?? 0
    }
    if (node !== 0 && letters[node] === letter) return node
    const added = letters.push(letter) - 1
    parents.push(parent)
    children.push(0)
    neighbours.push(node)
    if (before === 0) children[parent] = added
    else neighbours[before] = added
    return added
  }

  return {
    letters,
    parents,
    children,
    neighbours,
    meaningsOfWord: ofWord,
    meaningsOfPrefix: ofBeginning,
    add(written, kind, number) {
      const isBeginning = written.endsWith('*')
      let node = 0
      for (let at = 0; at < written.length - (isBeginning ? 1 : 0); at++) {
        const letter = letterAt(written, at)
        if (letter < firstLetter) throw new RangeError(`no word can hold the "${written[at]}" of "${written}"`)
        node = nodeBehind(node, letter)
      }
      const all = isBeginning ? ofBeginning : ofWord
      const said = all.get(node) ?? { ideas: [], families: [] }
      all.set(node, said)
      if (!said[kind].includes(number)) said[kind].push(number)
    },
  }
}

export const letterAt = (word: string, at: number): number => (kindOf[word.charCodeAt(at)] ?? 0) & letterBits
