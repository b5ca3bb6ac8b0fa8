/** Randomness as a dependency: backoff jitter and sampling take a `Random`, so tests replay a seed. */

export interface Random {
  /** A number in [0, 1). */
  next(): number
}

export const systemRandom: Random = { next: () => Math.random() }

/** Deterministic generator for tests and replays (mulberry32; 32-bit seed). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
  }
}
