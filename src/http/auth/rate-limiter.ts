/** How many requests a key may make: exact over a rolling minute, for as many keys as memory allows. */
import type { Principal } from '../access.ts'

export interface RateDecision {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Seconds until the oldest counted request leaves the minute. */
  resetS: number
  retryAfterS: number
}

export interface RateLimiter {
  /** Counts one request. Undefined: this caller has no limit. The decision is reused by the next call. */
  take(principal: Principal): RateDecision | undefined
}
