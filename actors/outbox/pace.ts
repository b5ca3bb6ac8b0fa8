/** At most so many a second, evenly; a second's worth may come at once. */
import type { Clock } from '../../runtime/time/clock.ts'

export interface Pace {
  /** How many of `wanted` may go now. */
  take(wanted: number, perS: number): number
  /** Milliseconds until the next may go. */
  waitMs(perS: number): number
}

export function pace(clock: Clock): Pace {
  let paidUntilMs = 0
  return {
    take(wanted, perS) {
      const nowMs = clock.elapsed()
      const costMs = 1_000 / perS
      paidUntilMs = Math.max(paidUntilMs, nowMs - Math.max(1_000, costMs))
      const taken = Math.min(wanted, Math.floor((nowMs - paidUntilMs) / costMs + 1e-9))
      paidUntilMs += taken * costMs
      return taken
    },
    waitMs: (perS) => Math.max(0, paidUntilMs + 1_000 / perS - clock.elapsed()),
  }
}
