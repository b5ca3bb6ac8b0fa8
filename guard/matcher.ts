/** Finds the rules' patterns in a text, in one pass with a bounded number of steps a word. */
import type { Pattern, Slot } from './pattern.ts'
import { createPrefilter } from './prefilter.ts'
import { listEnd, numberOf, type Trie } from './trie.ts'
import type { LexiconWords } from './words.ts'

export interface Hit {
  /** Index of the pattern. */
  pattern: number
  /** In the page that was read. */
  start: number
  end: number
}

export interface Matcher {
  /** @returns hits in order, at most `hitsMax` */
  find(words: LexiconWords): Hit[]
  /**
   * A cheaper check whether these patterns can have any hit: in most texts there is none.
   * @param patterns their indexes
   */
  prefilter(patterns: readonly number[]): (words: LexiconWords) => boolean
}

/** A text with more of them is not a discussion. */
export const hitsMax = 5_000

/** So near after "she" it is still she who does it. */
const narratedWords = 4
/** Further than any pattern reaches. */
const farApart = 1_000
/** Places are counted on from text to text, so that nothing need be cleared, until then. */
const placesMax = 2 ** 30

/**
 * Each slot of each pattern stores the last word up to which the pattern has matched. A word updates only the slots of
 * its ideas, so there is no backtracking, whatever the text.
 */
export function createMatcher(trie: Trie, patterns: readonly Pattern[]): Matcher {
  const slots = slotsOf(patterns)
  const vetoes = patterns.map(({ veto }) => veto.map((idea) => numberOf(trie, idea)))
  const denials = ['not', 'never', 'i'].map((idea) => numberOf(trie, idea))
  const somebody = numberOf(trie, 'he')
  const byIdea = slotsByIdea(trie, slots)
  const { ideaLists } = trie
  const touched = slotsByList(trie, byIdea, slots)
  const gaps = Uint8Array.from(slots, ({ gapMax }) => gapMax)
  const isFirst = Uint8Array.from(slots, ({ place }) => (place === 0 ? 1 : 0))
  const isLast = Uint8Array.from(slots, ({ isLast }) => (isLast ? 1 : 0))
  const patternOf = Uint16Array.from(slots, ({ pattern }) => pattern)
  const everyPattern = new Uint8Array(patterns.length).fill(1)
  const reachedAt = new Int32Array(slots.length)
  /** The word that the pattern began with. */
  const beganAt = new Uint32Array(slots.length)
  const ideaAt = new Int32Array(trie.ideas.size)
  let placesBefore = farApart

  /** "Do not ignore …" asks for the contrary; "can I ignore …" and "she may ignore …" ask nothing of the model. */
  function isDenied(place: number): boolean {
    for (const idea of denials) if (ideaAt[idea] === place - 1) return true
    return place - (ideaAt[somebody] ?? 0) <= narratedWords
  }

  function isVetoed(pattern: number, began: number): boolean {
    for (const idea of vetoes[pattern] ?? []) if ((ideaAt[idea] ?? 0) >= began) return true
    return false
  }

  function findAmong(isWanted: Uint8Array, words: LexiconWords): Hit[] {
    const hits: Hit[] = []
    if (placesBefore > placesMax) {
      reachedAt.fill(0)
      ideaAt.fill(0)
      placesBefore = farApart
    }
    for (let word = 0; word < words.count; word++) {
      const set = words.sets[word] ?? 0
      const place = placesBefore + (words.places[word] ?? 0)
      for (let at = set; ideaLists[at] !== listEnd; at++) ideaAt[ideaLists[at] ?? 0] = place
      meet(touched.from[set] ?? 0, isWanted, words, word, place, hits)
    }
    placesBefore += words.placeCount + farApart
    return hits
  }

  function meet(
    from: number,
    isWanted: Uint8Array,
    words: LexiconWords,
    word: number,
    place: number,
    hits: Hit[],
  ): void {
    let isHeld: boolean | undefined
    for (let at = from; touched.slots[at] !== slotsEnd; at++) {
      const slot = touched.slots[at] ?? 0
      const pattern = patternOf[slot] ?? 0
      if (isWanted[pattern] === 0) continue
      if (isFirst[slot] === 1) {
        isHeld ??= isDenied(place)
        if (isHeld) continue
        beganAt[slot] = word
      } else {
        if (place - (reachedAt[slot - 1] ?? 0) > (gaps[slot] ?? 0) + 1) continue
        beganAt[slot] = beganAt[slot - 1] ?? 0
      }
      reachedAt[slot] = place
      if (isLast[slot] === 0 || hits.length >= hitsMax) continue
      const began = beganAt[slot] ?? 0
      if (isVetoed(pattern, placesBefore + (words.places[began] ?? 0))) continue
      // Read from the end, the first word is the last.
      const start = Math.min(words.starts[began] ?? 0, words.starts[word] ?? 0)
      hits.push({ pattern, start, end: Math.max(words.ends[began] ?? 0, words.ends[word] ?? 0) })
    }
  }

  return {
    find: (words) => findAmong(everyPattern, words),
    prefilter(chosen) {
      const screen = createPrefilter(trie, patterns, chosen)
      return (words) => screen.mayMatch(words) && findAmong(screen.isPossible, words).length > 0
    },
  }
}

interface NumberedSlot extends Slot {
  readonly pattern: number
  /** In its pattern, from 0 on. */
  readonly place: number
  readonly isLast: boolean
}

function slotsOf(patterns: readonly Pattern[]): NumberedSlot[] {
  return patterns.flatMap(({ slots }, pattern) =>
    slots.map((slot, place) => ({ ...slot, pattern, place, isLast: place === slots.length - 1 })),
  )
}

function slotsByIdea(trie: Trie, slots: readonly NumberedSlot[]): number[][] {
  const byIdea: number[][] = Array.from({ length: trie.ideas.size }, () => [])
  for (const [index, slot] of slots.entries()) for (const idea of slot.ideas) byIdea[numberOf(trie, idea)]?.push(index)
  return byIdea
}

const slotsEnd = 0xffff

interface TouchedSlots {
  /** By list of ideas, where its slots begin. */
  readonly from: Uint16Array
  /** Behind each other, ended by `slotsEnd`. */
  readonly slots: Uint16Array
}

/** All lists behind each other: a word touches its own and no other memory. */
function slotsByList({ ideaLists }: Trie, byIdea: readonly number[][], slots: readonly NumberedSlot[]): TouchedSlots {
  const from = new Uint16Array(ideaLists.length)
  const all: number[] = [slotsEnd]
  for (let list = 1; list < ideaLists.length; list = ideaLists.indexOf(listEnd, list) + 1) {
    from[list] = all.length
    all.push(...merged(ideaLists.subarray(list, ideaLists.indexOf(listEnd, list)), byIdea, slots), slotsEnd)
  }
  return { from, slots: Uint16Array.from(all) }
}

/** Later places first: one word must not be two of a pattern. */
function merged(ideas: Uint8Array, byIdea: readonly number[][], slots: readonly NumberedSlot[]): number[] {
  const all = new Set([...ideas].flatMap((idea) => byIdea[idea] ?? []))
  return [...all].sort((a, b) => (slots[b]?.place ?? 0) - (slots[a]?.place ?? 0))
}
