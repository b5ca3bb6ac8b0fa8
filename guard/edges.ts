/** Packs a tree of words into the numbers of a trie: the edges of one node lie between those of others. */
import { lettersMax } from './units.ts'
import type { WordTree } from './word-tree.ts'

/** The letter is in the lowest bits of a cell, then the meaning, then where the next edges begin. */
export const meaningShift = 6
export const meaningBits = 0x7ff
export const beginShift = 17
const beginsMax = 2 ** (32 - beginShift)
/** How far back single edges look for free cells. */
const holesMax = 64

export interface Edges {
  readonly cells: Uint32Array
  readonly root: number
}

/**
 * @param meanings by node
 * @throws RangeError where there are too many of them
 */
export function packEdges({ letters, children, neighbours }: WordTree, meanings: Uint16Array): Edges {
  if (meanings.some((meaning) => meaning > meaningBits)) throw tooMany()
  const cells = new Uint32Array(beginsMax + lettersMax)
  /** By node; 0: it has no edges. */
  const begins = new Uint16Array(letters.length)
  /** Two nodes never begin at the same cell: each would have the letters of the other. */
  const isBegin = new Uint8Array(beginsMax)
  const isRoom = (node: number, begin: number): boolean => {
    if (isBegin[begin] === 1) return false
    for (let to = children[node] ?? 0; to !== 0; to = neighbours[to] ?? 0)
      if (cells[begin + (letters[to] ?? 0)] !== 0) return false
    return true
  }
  let firstFree = lettersMax
  let from = firstFree
  let last = firstFree
  let widthBefore = 0
  // Nodes with many letters first: single ones fill the gaps, with the letters of a word near each other.
  for (const [node, width] of byWidth(children, neighbours)) {
    if (width !== widthBefore) from = firstFree
    widthBefore = width
    while (firstFree < beginsMax && cells[firstFree] !== 0) firstFree++
    let begin = Math.max(firstFree, width === 1 ? from - holesMax : from) - (letters[children[node] ?? 0] ?? 0)
    while (begin < beginsMax && !isRoom(node, begin)) begin++
    if (begin >= beginsMax) throw tooMany()
    begins[node] = begin
    isBegin[begin] = 1
    from = begin + (letters[children[node] ?? 0] ?? 0)
    for (let to = children[node] ?? 0; to !== 0; to = neighbours[to] ?? 0) {
      const letter = letters[to] ?? 0
      last = Math.max(last, begin + letter)
      cells[begin + letter] = letter | ((meanings[to] ?? 0) << meaningShift)
    }
  }
  for (let node = 0; node < letters.length; node++)
    for (let to = children[node] ?? 0; to !== 0; to = neighbours[to] ?? 0) {
      const at = (begins[node] ?? 0) + (letters[to] ?? 0)
      cells[at] = (cells[at] ?? 0) | ((begins[to] ?? 0) << beginShift)
    }
  return { cells: cells.slice(0, last + 1 + lettersMax), root: begins[0] ?? 0 }
}

const tooMany = (): RangeError => new RangeError('the lexicon has too many words')

/** Nodes that lead on, with the number of their letters: the widest first, of equal ones those that were made first. */
function byWidth(children: readonly number[], neighbours: readonly number[]): [node: number, width: number][] {
  const all: [number, number][] = []
  for (let node = 0; node < children.length; node++) {
    let width = 0
    for (let to = children[node] ?? 0; to !== 0; to = neighbours[to] ?? 0) width++
    if (width > 0) all.push([node, width])
  }
  return all.sort(([, a], [, b]) => b - a)
}
