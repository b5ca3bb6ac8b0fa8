/** Faults in an order that the seed says: each once, in a random order, before any comes again. */
import type { Random } from '../../runtime/random.ts'

export type Faults = Readonly<Record<string, () => Promise<void>>>

/** @returns makes the next fault, and says what it was */
export function faultDeck(faults: Faults, random: Random): () => Promise<string> {
  let deck: string[] = []
  return async () => {
    if (deck.length === 0) deck = shuffled(Object.keys(faults), random)
    const name = deck.pop() as string
    await faults[name]?.()
    return name
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const keyed = items.map((item) => ({ item, key: random.next() }))
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item)
}
