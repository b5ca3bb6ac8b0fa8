/** Delays between attempts: exponential, with full jitter where many clients could retry in step. */
import type { Random } from '../random.ts'

export interface Backoff {
  /** Delay in milliseconds before attempt number `attempt` (the first retry is 1). */
  delayMs(attempt: number, random: Random): number
}

/** Doubles from `firstMs` up to `mostMs`, the same for every caller. */
export function exponential(firstMs: number, mostMs: number): Backoff {
  return { delayMs: (attempt) => ceiling(firstMs, mostMs, attempt) }
}

/** Uniform between 0 and the exponential ceiling, so that clients that failed together do not return together. */
export function fullJitter(firstMs: number, mostMs: number): Backoff {
  return { delayMs: (attempt, random) => random.next() * ceiling(firstMs, mostMs, attempt) }
}

function ceiling(firstMs: number, mostMs: number, attempt: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 40))
}
