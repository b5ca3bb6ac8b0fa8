/** A clock whose wall time is that of another machine, by what that is ahead of ours; durations and timers stay our own. */
import type { Clock } from './clock.ts'

export interface OffsetClock extends Clock {
  /** @param ms how far the other clock is ahead; below zero: behind */
  setOffset(ms: number): void
}

export function offsetClock(base: Clock): OffsetClock {
  let offsetMs = 0
  return {
    now: () => base.now() + offsetMs,
    elapsed: () => base.elapsed(),
    after: (delayMs, fire) => base.after(delayMs, fire),
    setOffset(ms) {
      offsetMs = ms
    },
  }
}
