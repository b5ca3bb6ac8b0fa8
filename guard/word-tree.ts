/** Words letter by letter as a tree of numbers: what the trie is made from, and what is forgotten then. */
import { firstLetter, kindOf, letterBits } from './units.ts'

/** What is said of a word, or of all that begin with it: numbers of ideas and of families. */
export interface Said {
  ideas: number[]
  families: number[]
}

export interface WordTree {
  /** By node; 0 is the root. Whatever is behind a node has a higher number. */
  readonly letters: readonly number[]
  readonly parents: readonly number[]
  /** By node, its first and its next neighbour, whose letters rise; 0: none. */
  readonly children: readonly number[]
  readonly neighbours: readonly number[]
  readonly ofWord: ReadonlyMap<number, Said>
  readonly ofBeginning: ReadonlyMap<number, Said>
  /**
   * @param written `instruct*` stands for all that begins so
   * @throws RangeError for a word that no text can have
   */
  add(written: string, kind: keyof Said, number: number): void
}

export function createWordTree(): WordTree {
  const letters = [0]
  const parents = [0]
  const children = [0]
  const neighbours = [0]
  const ofWord = new Map<number, Said>()
  const ofBeginning = new Map<number, Said>()

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
    ...{ letters, parents, children, neighbours, ofWord, ofBeginning },
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
