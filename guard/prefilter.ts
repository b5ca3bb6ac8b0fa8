/** A cheap check before matching: which patterns have all their ideas in the text, near enough to each other. */
import type { Pattern, Slot } from './pattern.ts'
import { listEnd, numberOf, type Trie } from './trie.ts'
import type { LexiconWords } from './words.ts'

export interface Prefilter {
  /** @returns whether any pattern may match */
  mayMatch(words: LexiconWords): boolean
  /** 1 for each pattern that may match, after the last check. */
  readonly isPossible: Uint8Array
}

/**
 * Patterns are grouped by their rarest slot: where none of its words is in the text, which is usual, the whole group is
 * ruled out.
 * @param chosen indexes of the patterns to check
 */
export function createPrefilter(trie: Trie, patterns: readonly Pattern[], chosen: readonly number[]): Prefilter {
  /** The first and the last place of each idea; 0: it is not in the text. */
  const firstAt = new Uint32Array(trie.ideas.size)
  const lastAt = new Uint32Array(trie.ideas.size)
  const isPossible = new Uint8Array(patterns.length)
  const { ideaLists } = trie
  const { heads, bodies } = grouped(trie, patterns, chosen)
  /** A word fills one slot only. */
  const slotsMin = Math.min(...chosen.map((index) => patterns[index]?.slots.length ?? 0))

  function recordPlaces({ sets, places, count }: LexiconWords): void {
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

  /** Whether each slot has a word after some word of the slot before it, and near enough to some, perhaps another. */
  function mayMatchPattern(from: number, to: number): boolean {
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
    mayMatch(words) {
      if (words.count < slotsMin) return false
      recordPlaces(words)
      isPossible.fill(0)
      let isAny = false
      for (let at = 0; at < heads.length; ) {
        const end = heads[at] ?? 0
        const bodiesEnd = heads[at + 2] ?? 0
        let isThere = 0
        for (let idea = at + 3; idea < end; idea++) isThere |= firstAt[heads[idea] ?? 0] ?? 0
        for (let body = heads[at + 1] ?? 0; isThere !== 0 && body < bodiesEnd; body = bodies[body + 1] ?? 0) {
          if (!mayMatchPattern(body + 2, bodies[body + 1] ?? 0)) continue
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
 * Arrays of numbers, so that all of it is together in memory. A head: where it ends, where its group begins and ends among the
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
