/**
 * How many requests a key may make a minute. Up to `exactRpmMax` they are counted exactly over a rolling minute; above it
 * they are spread evenly, because the times of all requests would cost too much memory.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Principal } from '../access.ts'
import { ApiError } from '../error.ts'
import { type CellRate, takeCell } from './cell-rate.ts'
import { RollingWindow, windowMs } from './rolling-window.ts'

const exactRpmMax = 6_000

/** Past this, the keys unused for longest are forgotten, and start again with a full allowance. */
const windowsBytesMax = 64 * 1_048_576
const ratesMax = 100_000

/** What a window costs besides its times; bounds the number of keys too. */
const windowOverheadBytes = 256

export interface RateDecision {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Seconds until the next counted request leaves the minute, so that one more is allowed. */
  resetS: number
  retryAfterS: number
}

type MaybeLater<Result> = Result | Promise<Result>

export interface RateLimiter<Decision = MaybeLater<RateDecision>> {
  /** Counts one request; refused ones do not count. Undefined: this caller has no limit. */
  take(principal: Principal): Decision | undefined
}

/** The requests of each key, by its id. */
export interface KeyRates {
  /** Counts one request, unless it is refused. @param limit a minute */
  take(key: string, limit: number): RateDecision
}

/** Of one process. */
export function rateLimiter(clock: Clock, bytesMax?: number): RateLimiter<RateDecision> {
  return rateLimiterOf(keyRates(clock, bytesMax).take) as RateLimiter<RateDecision>
}

/** @param takeOne of a key, as `KeyRates`, at once or later */
export function rateLimiterOf(takeOne: (key: string, limit: number) => MaybeLater<RateDecision>): RateLimiter {
  /** After its own: a request that its own limit refuses takes nothing from the key that it was made with. */
  function takeShared(
    own: RateDecision,
    [first, ...rest]: readonly { keyId: string; rateLimitRpm: number }[],
  ): MaybeLater<RateDecision> {
    if (!own.isAllowed || !first) return own
    const decision = takeOne(first.keyId, first.rateLimitRpm)
    const next = (taken: RateDecision) => (taken.isAllowed ? takeShared(own, rest) : taken)
    return decision instanceof Promise ? decision.then(next) : next(decision)
  }

  return {
    take({ keyId, rateKeyId, rateLimitRpm, sharedRates = [] }) {
      const counted = rateKeyId ?? keyId
      if (counted === null || rateLimitRpm === null) return undefined
      const own = takeOne(counted, rateLimitRpm)
      return own instanceof Promise ? own.then((taken) => takeShared(taken, sharedRates)) : takeShared(own, sharedRates)
    },
  }
}

export function keyRates(clock: Clock, bytesMax = windowsBytesMax): KeyRates {
  const windows = new LRUCache<string, RollingWindow>({
    maxSize: bytesMax,
    sizeCalculation: (window) => window.bytes + windowOverheadBytes,
  })
  const rates = new LRUCache<string, CellRate>({ max: ratesMax })

  function exact(key: string, limit: number, nowMs: number): RateDecision {
    let window = windows.get(key)
    if (!window) {
      window = new RollingWindow()
      windows.set(key, window)
    }
    const used = window.countAt(nowMs)
    const isAllowed = used < limit
    if (isAllowed) {
      const bytes = window.bytes
      window.push(nowMs)
      if (window.bytes !== bytes) windows.set(key, window, { size: window.bytes + windowOverheadBytes })
    }
    const resetS = Math.max(1, Math.ceil((window.oldestMs + windowMs - nowMs) / 1_000))
    return {
      isAllowed,
      limit,
      remaining: limit - used - (isAllowed ? 1 : 0),
      resetS,
      retryAfterS: isAllowed ? 0 : resetS,
    }
  }

  function even(key: string, limit: number, nowMs: number): RateDecision {
    let rate = rates.get(key)
    if (!rate) {
      rate = { dueMs: 0 }
      rates.set(key, rate)
    }
    const { isAllowed, remaining, waitMs } = takeCell(rate, nowMs, { perMinute: limit, burst: Math.ceil(limit / 10) })
    const resetS = Math.max(1, Math.ceil(waitMs / 1_000))
    return { isAllowed, limit, remaining, resetS, retryAfterS: isAllowed ? 0 : resetS }
  }

  return {
    take(key, limit) {
      const nowMs = clock.elapsed()
      return limit <= exactRpmMax ? exact(key, limit, nowMs) : even(key, limit, nowMs)
    },
  }
}

export function rateLimited({ limit, retryAfterS }: Pick<RateDecision, 'limit' | 'retryAfterS'>): ApiError {
  const message = `This key may make ${limit} requests a minute; try again in ${retryAfterS} s.`
  return new ApiError('rate_limit_exceeded', message, { retryAfterS })
}
