/** A circuit breaker: a destination that failed several times in a row rests, and is then probed with a single delivery. */
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'

const failuresMax = 5
const restMsMin = seconds(10)
const restMsMax = minutes(5)
/** Destinations in memory; of more, those that failed longest ago are forgotten. */
const destinationsMax = 10_000

interface Trouble {
  failures: number
  openUntilMs: number
  isProbing: boolean
}

export interface Breaker {
  /** 0: go ahead. Else milliseconds until the next attempt may be made. */
  restMs(destination: string): number
  succeeded(destination: string): void
  failed(destination: string): void
  /** An attempt that said nothing about the destination. */
  abandoned(destination: string): void
  /** Destinations that rest now. */
  readonly open: number
}

export function breaker(clock: Clock): Breaker {
  const troubled = new Map<string, Trouble>()
  return {
    restMs(destination) {
      const trouble = troubled.get(destination)
      if (!trouble || trouble.failures < failuresMax) return 0
      const restMs = trouble.openUntilMs - clock.elapsed()
      if (restMs > 0) return restMs
      if (trouble.isProbing) return restMsMin
      trouble.isProbing = true
      return 0
    },
    succeeded(destination) {
      troubled.delete(destination)
    },
    failed(destination) {
      const trouble = troubled.get(destination) ?? { failures: 0, openUntilMs: 0, isProbing: false }
      troubled.delete(destination)
      troubled.set(destination, trouble)
      trouble.failures++
      trouble.isProbing = false
      const beyond = trouble.failures - failuresMax
      if (beyond >= 0) trouble.openUntilMs = clock.elapsed() + Math.min(restMsMax, restMsMin * 2 ** beyond)
      const [oldest] = troubled.keys()
      if (troubled.size > destinationsMax && oldest !== undefined) troubled.delete(oldest)
    },
    abandoned(destination) {
      const trouble = troubled.get(destination)
      if (trouble) trouble.isProbing = false
    },
    get open() {
      const nowMs = clock.elapsed()
      return [...troubled.values()].filter(
        ({ failures, openUntilMs }) => failures >= failuresMax && openUntilMs > nowMs,
      ).length
    },
  }
}
