/** All words of the lexicon in one automaton: a text is read once, whatever the number of words. */

/** A word of the lexicon; `instruction*` stands for every word that begins so. */
export type Lexicon = Readonly<Record<string, string>>

export interface Trie {
  /** The next state by `state * width + letter`; 0: no word goes on so. The first state is 1. */
  readonly next: Uint16Array
  readonly width: number
  /** Ideas of a word that ends in this state. */
  readonly whole: readonly (readonly number[])[]
  /** Ideas of a longer word that begins so. */
  readonly begun: readonly (readonly number[])[]
  /** The letter's number by UTF-16 unit. */
  readonly letters: Uint8Array
  readonly ideas: ReadonlyMap<string, number>
}

/** Not a letter of any word. */
export const noLetter = 0
/** A letter or digit that no word of the lexicon has. */
export const strangeLetter = 1
/** Ends a sentence. */
export const fullStop = 2
const firstLetter = 3

export const alphabet = "abcdefghijklmnopqrstuvwxyz'абвгдежзийклмнопрстуфхцчшщъыьэюя"

export function buildTrie(lexicon: Lexicon): Trie {
  const width = alphabet.length + firstLetter
  const letters = lettersOf(alphabet)
  // No more states than there are letters.
  const next = new Uint16Array((Object.values(lexicon).join('').length + 2) * width)
  const whole: Set<number>[] = [new Set(), new Set()]
  const begun: Set<number>[] = [new Set(), new Set()]
  const parent: number[] = [0, 0]
  const ideas = new Map<string, number>()
  for (const [idea, words] of Object.entries(lexicon)) {
    const number = ideas.size
    ideas.set(idea, number)
    for (const written of words.split(/\s+/).filter((word) => word !== '')) {
      const isBeginning = written.endsWith('*')
      let state = 1
      for (const letter of isBeginning ? written.slice(0, -1) : written) {
        const known = letters[letter.charCodeAt(0)] ?? noLetter
        if (known < firstLetter) throw new RangeError(`no word can hold the "${letter}" of "${written}"`)
        const edge = state * width + known
        if (next[edge] === 0) {
          next[edge] = whole.length
          parent.push(state)
          whole.push(new Set())
          begun.push(new Set())
        }
        state = next[edge] ?? 0
      }
      ;(isBeginning ? begun : whole)[state]?.add(number)
    }
  }
  // Parents come before their children: each hands on what it stands for.
  for (let state = 2; state < whole.length; state++) {
    for (const idea of begun[parent[state] ?? 0] ?? []) begun[state]?.add(idea)
    for (const idea of begun[state] ?? []) whole[state]?.add(idea)
  }
  const lists = (sets: Set<number>[]) => sets.map((set) => [...set])
  return { next: next.slice(0, whole.length * width), width, whole: lists(whole), begun: lists(begun), letters, ideas }
}

/** @param rotated the alphabet, in its order, or with its letters exchanged as a cipher does */
export function lettersOf(rotated: string): Uint8Array {
  const numbers = unitKinds.slice()
  for (const unit of alphabet) numbers[unit.charCodeAt(0)] = strangeLetter
  for (let at = 0; at < rotated.length; at++) numbers[rotated.charCodeAt(at)] = firstLetter + at
  return numbers
}

/** Half of a pair is none. */
const isLetter = /[\p{L}\p{N}]/u

const unitKinds: Uint8Array = (() => {
  const kinds = new Uint8Array(0x10000)
  for (let unit = 0; unit < kinds.length; unit++) {
    if (isLetter.test(String.fromCharCode(unit))) kinds[unit] = strangeLetter
  }
  for (const end of '.!?\n') kinds[end.charCodeAt(0)] = fullStop
  return kinds
})()
