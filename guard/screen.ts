/** A first look at the words of a text: which patterns have all their ideas among them, and near enough to each other. */
import type { Pattern, Slot } from './pattern.ts'
import { listEnd, numberOf, type Trie } from './trie.ts'
import type { KnownWords } from './words.ts'

export interface Screen {
  /** @returns whether there is any such pattern */
  look(words: KnownWords): boolean
  /** 1 for each such pattern of the last look. */
  readonly isPossible: Uint8Array
}

/**
 * Patterns are grouped by the slot whose words are the rarest: where none of these is in the text, as is usual, the whole
 * group is done with.
 * @param chosen indexes of the patterns that are of interest
 */
export function createScreen(trie: Trie, patterns: readonly Pattern[], chosen: readonly number[]): Screen {
  /** The first and the last place of each idea, as those of the words; 0: it is not there. */
  const firstAt = new Uint32Array(trie.ideas.size)
  const lastAt = new Uint32Array(trie.ideas.size)
  const isPossible = new Uint8Array(patterns.length)
  const { ideaLists } = trie
  const { heads, bodies } = grouped(trie, patterns, chosen)
  /** One word is not two of a pattern. */
  const slotsMin = Math.min(...chosen.map((index) => patterns[index]?.slots.length ?? 0))

  function notePlaces({ sets, places, count }: KnownWords): void {
    firstAt.fill(0)
    lastAt.fill(0)
    for (let word = 0; word < count; word++) {
      const place = places[word] ?? 0
      for (let at = sets[word] ?? 0; ideaLists[at] !== listEnd; at++) {
        const idea = ideaLists[at] ?? 0
        if (firstAt[idea] === 0) firstAt[idea] = place
        lastAt[idea] = place
      }
    }
  }

  /** Whether each slot has a word behind one of the slot before it, and near enough to one, if not the same. */
  function mayStand(from: number, to: number): boolean {
    let firstBefore = 0
    let lastBefore = Number.MAX_SAFE_INTEGER
    for (let at = from; at < to; ) {
      const end = bodies[at] ?? 0
      const reach = bodies[at + 1] ?? 0
      let first = Number.MAX_SAFE_INTEGER
      let last = 0
      for (at += 2; at < end; at++) {
        const idea = bodies[at] ?? 0
        const place = firstAt[idea] ?? 0
        if (place === 0) continue
        first = Math.min(first, place)
        last = Math.max(last, lastAt[idea] ?? 0)
      }
      if (last <= firstBefore || first > lastBefore + reach) return false
      firstBefore = first
      lastBefore = last
    }
    return true
  }

  return {
    isPossible,
    look(words) {
      if (words.count < slotsMin) return false
      notePlaces(words)
      isPossible.fill(0)
      let isAny = false
      for (let at = 0; at < heads.length; ) {
        const end = heads[at] ?? 0
        const bodiesEnd = heads[at + 2] ?? 0
        let isThere = 0
        for (let idea = at + 3; idea < end; idea++) isThere |= firstAt[heads[idea] ?? 0] ?? 0
        for (let body = heads[at + 1] ?? 0; isThere !== 0 && body < bodiesEnd; body = bodies[body + 1] ?? 0) {
          if (!mayStand(body + 2, bodies[body + 1] ?? 0)) continue
          isPossible[bodies[body] ?? 0] = 1
          isAny = true
        }
        at = end
      }
      return isAny
    },
  }
}

/**
 * Lines of numbers, so that all of it lies together. A head: where it ends, where its group begins and ends among the
 * bodies, the ideas of the slot that its patterns share. A body: the pattern, where it ends, and each slot as the place
 * where that ends, how far behind the one before it may be, and its ideas.
 */
function grouped(trie: Trie, patterns: readonly Pattern[], chosen: readonly number[]) {
  const groups = new Map<string, { rarest: Slot; members: number[] }>()
  for (const index of chosen) {
    const rarest = (patterns[index]?.slots ?? []).toSorted((a, b) => commonness(trie, a) - commonness(trie, b))[0]
    if (!rarest) continue
    const group = groups.get(rarest.ideas.join()) ?? { rarest, members: [] }
    group.members.push(index)
    groups.set(rarest.ideas.join(), group)
  }
  const heads: number[] = []
  const bodies: number[] = []
  const numbersOf = (ideas: readonly string[]) => ideas.map((idea) => numberOf(trie, idea))
  for (const { rarest, members } of groups.values()) {
    const start = bodies.length
    for (const index of members) {
      const end = bodies.push(index, 0) - 1
      for (const { ideas, gapMax } of patterns[index]?.slots ?? [])
        bodies.push(bodies.length + 2 + ideas.length, gapMax + 1, ...numbersOf(ideas))
      bodies[end] = bodies.length
    }
    heads.push(heads.length + 3 + rarest.ideas.length, start, bodies.length, ...numbersOf(rarest.ideas))
  }
  return { heads: Uint16Array.from(heads), bodies: Uint16Array.from(bodies) }
}

const commonness = (trie: Trie, { ideas }: Slot): number =>
  ideas.reduce((sum, idea) => sum + (trie.commonness[numberOf(trie, idea)] ?? 0), 0)
