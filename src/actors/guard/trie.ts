/** All words of the lexicon in one automaton: a word is read once, whatever the number of words it could be. */
import { firstLetter, kindOf, letterBits, lettersMax } from './units.ts'

/** A word of the lexicon; `instruction*` stands for every word that begins so. */
export type Lexicon = Readonly<Record<string, string>>

export interface Trie {
  /**
   * Two numbers a state. The first has the state before in its upper half, and in its lower one where the states behind
   * begin: by a letter the next is `begin + letter`, if that names this state as the one before. The second has the
   * number of the ideas of a word that ends here, and below it of a longer word that begins so.
   */
  readonly cells: Uint32Array
  /** Ideas by their number in a cell; the first are none. */
  readonly sets: readonly (readonly number[])[]
  readonly ideas: ReadonlyMap<string, number>
  /** How often an idea is met, by a guess: short words are met often. By its number. */
  readonly commonness: readonly number[]
}

export const rootState = 1

interface Node {
  readonly next: Map<number, Node>
  readonly whole: Set<number>
  readonly begun: Set<number>
}

export function buildTrie(lexicon: Lexicon): Trie {
  const root = newNode()
  const ideas = new Map<string, number>()
  const commonness: number[] = []
  for (const [idea, words] of Object.entries(lexicon)) {
    const number = ideas.size
    ideas.set(idea, number)
    commonness.push(0)
    for (const written of words.split(/\s+/).filter((word) => word !== '')) {
      const isBeginning = written.endsWith('*')
      const node = nodeOf(root, isBeginning ? written.slice(0, -1) : written)
      commonness[number] = (commonness[number] ?? 0) + 2 ** -written.length
      ;(isBeginning ? node.begun : node.whole).add(number)
    }
  }
  return { ...pack(root), ideas, commonness }
}

export function numberOf(trie: Trie, idea: string): number {
  const number = trie.ideas.get(idea)
  if (number === undefined) throw new RangeError(`a rule names the idea "${idea}", which the lexicon does not have`)
  return number
}

const newNode = (): Node => ({ next: new Map(), whole: new Set(), begun: new Set() })

function nodeOf(root: Node, written: string): Node {
  let node = root
  for (const character of written) {
    const letter = (kindOf[character.charCodeAt(0)] ?? 0) & letterBits
    if (letter < firstLetter) throw new RangeError(`no word can hold the "${character}" of "${written}"`)
    const known = node.next.get(letter) ?? newNode()
    node.next.set(letter, known)
    node = known
  }
  return node
}

const statesMax = 0xffff

/** The states behind one lie between those behind others: so the whole lexicon fits into the processor's caches. */
function pack(root: Node): Pick<Trie, 'cells' | 'sets'> {
  const cells = new Uint32Array((statesMax + lettersMax) * 2)
  const sets: number[][] = [[]]
  const numbers = new Map([['', 0]])
  const numberOf = (ideas: ReadonlySet<number>): number => {
    const key = [...ideas].join()
    const number = numbers.get(key) ?? sets.push([...ideas]) - 1
    numbers.set(key, number)
    return number
  }
  /** From here on any letter can lead to it. */
  let firstFree = rootState + lettersMax
  /** Before it only single ones are put into what is left free, or each would try all of it. */
  let firstForMany = firstFree
  let last = rootState
  const isFree = (state: number) => state > rootState && cells[state * 2] === 0
  const queue: [Node, number][] = [[root, rootState]]
  // Parents come before what is behind them: each hands on what it stands for.
  for (const [node, state] of queue) {
    for (const idea of node.begun) node.whole.add(idea)
    cells[state * 2 + 1] = (numberOf(node.whole) << 16) | numberOf(node.begun)
    if (node.next.size === 0) continue
    while (!isFree(firstFree)) firstFree++
    const letters = [...node.next.keys()]
    const lowest = Math.min(...letters)
    let begin = (letters.length > 1 ? Math.max(firstFree, firstForMany) : firstFree) - lowest
    while (!letters.every((letter) => isFree(begin + letter))) begin++
    if (letters.length > 1) firstForMany = begin + lowest
    cells[state * 2] = ((cells[state * 2] ?? 0) & 0xffff0000) | begin
    for (const [letter, behind] of node.next) {
      const next = begin + letter
      if (next > statesMax) throw new RangeError(`the lexicon has more than ${statesMax} beginnings of words`)
      last = Math.max(last, next)
      cells[next * 2] = state << 16
      for (const idea of node.begun) behind.begun.add(idea)
      queue.push([behind, next])
    }
  }
  return { cells: cells.slice(0, (last + lettersMax) * 2), sets }
}
