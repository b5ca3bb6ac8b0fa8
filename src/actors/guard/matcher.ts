/** Finds where the rules' patterns stand in a text, in one pass of which every word costs a bounded number of steps. */
import type { Pattern } from './pattern.ts'
import { alphabet, fullStop, lettersOf, noLetter, type Trie } from './trie.ts'

export interface Hit {
  /** Index of the pattern. */
  pattern: number
  /** In the text that was read. */
  start: number
  end: number
}

/** How the letters stand: as written, each moved thirteen places, or from the end to the beginning. */
export type Reading = 'plain' | 'rot13' | 'reversed'

export interface Matcher {
  /** @returns hits in order, at most `hitsMax` */
  find(text: string, reading: Reading): Hit[]
}

/** Whoever writes more of them in one text is not discussing them. */
export const hitsMax = 5_000

/** So near behind "she" it is still she who does it. */
const narratedWords = 4
const longAgo = -1_000_000

/**
 * Each slot of each pattern remembers the last word up to which the pattern stood. A word looks only at the slots that
 * name its ideas, so the time is that of reading, and no text makes it go back.
 */
export function createMatcher(trie: Trie, patterns: readonly Pattern[]): Matcher {
  const slots = patterns.flatMap((pattern, index) =>
    pattern.slots.map((slot, place) => ({
      ...slot,
      pattern: index,
      place,
      isLast: place === pattern.slots.length - 1,
    })),
  )
  const vetoes = patterns.map(({ veto }) => veto.map((idea) => numberOf(trie, idea)))
  const denials = ['not', 'never', 'i'].map((idea) => numberOf(trie, idea))
  const somebody = numberOf(trie, 'he')
  const slotsOf = slotsByIdea(trie, slots)
  const wholeSlots = trie.whole.map((ideas) => merged(ideas, slotsOf, slots))
  const begunSlots = trie.begun.map((ideas) => merged(ideas, slotsOf, slots))
  const rotated = lettersOf(rotate(alphabet))
  const reachedAt = new Int32Array(slots.length)
  const beganAt = new Int32Array(slots.length)
  const beganWord = new Int32Array(slots.length)
  const ideaAt = new Int32Array(trie.ideas.size)

  function find(text: string, reading: Reading): Hit[] {
    reachedAt.fill(longAgo)
    ideaAt.fill(longAgo)
    const hits: Hit[] = []
    readWords(text, reading, (state, isWhole, position, start, end) => {
      const ideas = (isWhole ? trie.whole : trie.begun)[state] ?? []
      for (const idea of ideas) ideaAt[idea] = position
      for (const index of (isWhole ? wholeSlots : begunSlots)[state] ?? []) {
        const slot = slots[index]
        if (!slot) continue
        if (slot.place === 0) {
          // "Do not ignore …" asks for the contrary; "can I ignore …" and "she may ignore …" ask nothing of the model.
          if (denials.some((idea) => ideaAt[idea] === position - 1)) continue
          if (position - (ideaAt[somebody] ?? longAgo) <= narratedWords) continue
          beganAt[index] = reading === 'reversed' ? end : start
          beganWord[index] = position
        } else {
          if (position - (reachedAt[index - 1] ?? longAgo) > slot.gapMax + 1) continue
          beganAt[index] = beganAt[index - 1] ?? 0
          beganWord[index] = beganWord[index - 1] ?? 0
        }
        reachedAt[index] = position
        if (!slot.isLast || hits.length >= hitsMax) continue
        const began = beganWord[index] ?? 0
        if (vetoes[slot.pattern]?.some((idea) => (ideaAt[idea] ?? longAgo) >= began)) continue
        const from = beganAt[index] ?? 0
        hits.push({ pattern: slot.pattern, start: Math.min(from, start), end: Math.max(from, end) })
      }
    })
    return hits
  }

  function readWords(
    text: string,
    reading: Reading,
    onWord: (state: number, isWhole: boolean, position: number, start: number, end: number) => void,
  ): void {
    const letters = reading === 'rot13' ? rotated : trie.letters
    const step = reading === 'reversed' ? -1 : 1
    const { next, width, whole, begun } = trie
    let position = 0
    let state = 1
    let isWhole = true
    let from = -1
    for (let left = text.length, at = step > 0 ? 0 : left - 1; left >= 0; left--, at += step) {
      const letter = left === 0 ? noLetter : (letters[text.charCodeAt(at)] ?? noLetter)
      if (letter !== noLetter && letter !== fullStop) {
        if (from < 0) from = at
        if (!isWhole) continue
        const following = next[state * width + letter] ?? 0
        if (following === 0) isWhole = false
        else state = following
        continue
      }
      if (from >= 0) {
        position++
        if (state > 1 && ((isWhole ? whole : begun)[state]?.length ?? 0) > 0)
          onWord(state, isWhole, position, step > 0 ? from : at + 1, step > 0 ? at : from + 1)
        state = 1
        isWhole = true
        from = -1
      }
      if (letter === fullStop) position++
    }
  }

  return { find }
}

type NumberedSlot = { readonly ideas: readonly string[]; readonly place: number }

function slotsByIdea(trie: Trie, slots: readonly NumberedSlot[]): number[][] {
  const byIdea: number[][] = Array.from({ length: trie.ideas.size }, () => [])
  for (const [index, slot] of slots.entries()) for (const idea of slot.ideas) byIdea[numberOf(trie, idea)]?.push(index)
  return byIdea
}

/** Later places first: one word must not be two of a pattern. */
function merged(ideas: readonly number[], byIdea: readonly number[][], slots: readonly NumberedSlot[]): Uint16Array {
  const all = new Set(ideas.flatMap((idea) => byIdea[idea] ?? []))
  return Uint16Array.from([...all].sort((a, b) => (slots[b]?.place ?? 0) - (slots[a]?.place ?? 0)))
}

function numberOf(trie: Trie, idea: string): number {
  const number = trie.ideas.get(idea)
  if (number === undefined) throw new RangeError(`a rule names the idea "${idea}", which the lexicon does not have`)
  return number
}

/** Moves the first 26 letters by thirteen; the others are not moved by the cipher and would be found twice. */
function rotate(letters: string): string {
  return letters.slice(13, 26) + letters.slice(0, 13)
}
