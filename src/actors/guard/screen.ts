/** A first look at the words of a text: which patterns have all their ideas among them, in whatever order. */
import type { Pattern, Slot } from './pattern.ts'
import { numberOf, type Trie } from './trie.ts'
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
  const isThere = new Uint8Array(trie.ideas.size)
  const isPossible = new Uint8Array(patterns.length)
  const { heads, bodies } = grouped(trie, patterns, chosen)
  /** One word is not two of a pattern. */
  const slotsMin = Math.min(...chosen.map((index) => patterns[index]?.slots.length ?? 0))

  /** @returns whether one of the ideas is there that stand in `lines` from here on */
  function isAnyThere(lines: Uint16Array, from: number, to: number): boolean {
    let found = 0
    for (let at = from; at < to; at++) found |= isThere[lines[at] ?? 0] ?? 0
    return found !== 0
  }

  function lookAtGroup(from: number, to: number): boolean {
    let isAny = false
    for (let at = from; at < to; ) {
      const pattern = bodies[at] ?? 0
      const end = bodies[at + 1] ?? 0
      let isWhole = true
      for (at += 2; at < end && isWhole; ) {
        const slotEnd = bodies[at] ?? 0
        isWhole = isAnyThere(bodies, at + 1, slotEnd)
        at = slotEnd
      }
      isPossible[pattern] = isWhole ? 1 : 0
      isAny ||= isWhole
      at = end
    }
    return isAny
  }

  return {
    isPossible,
    look({ sets, count }) {
      if (count < slotsMin) return false
      isThere.fill(0)
      isPossible.fill(0)
      for (let word = 0; word < count; word++) for (const idea of trie.sets[sets[word] ?? 0] ?? []) isThere[idea] = 1
      let isAny = false
      for (let at = 0; at < heads.length; ) {
        const end = heads[at] ?? 0
        if (isAnyThere(heads, at + 3, end)) isAny = lookAtGroup(heads[at + 1] ?? 0, heads[at + 2] ?? 0) || isAny
        at = end
      }
      return isAny
    },
  }
}

/**
 * Lines of numbers, so that all of it lies together. A head: where it ends, where its group begins and ends among the
 * bodies, the ideas of the slot that its patterns share. A body: the pattern, where it ends, and each other slot as the
 * place where that ends and its ideas.
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
  for (const { rarest, members } of groups.values()) {
    const start = bodies.length
    for (const index of members) {
      const end = bodies.push(index, 0)
      for (const { ideas } of patterns[index]?.slots ?? [])
        if (ideas.join() !== rarest.ideas.join())
          bodies.push(bodies.length + 1 + ideas.length, ...ideas.map((idea) => numberOf(trie, idea)))
      bodies[end - 1] = bodies.length
    }
    heads.push(heads.length + 3 + rarest.ideas.length, start, bodies.length)
    heads.push(...rarest.ideas.map((idea) => numberOf(trie, idea)))
  }
  return { heads: Uint16Array.from(heads), bodies: Uint16Array.from(bodies) }
}

const commonness = (trie: Trie, { ideas }: Slot): number =>
  ideas.reduce((sum, idea) => sum + (trie.commonness[numberOf(trie, idea)] ?? 0), 0)
