/** Tries again what failed in passing, before its first byte, within the call's budget. */
import { fullJitter } from '../runtime/backoff.ts'
import { type Clock, sleep } from '../runtime/clock.ts'
import type { Random } from '../runtime/random.ts'
import { ModelError } from './errors.ts'

const backoff = fullJitter(250, 8_000)

/** An endpoint that asks for more patience than this is not waited for: its client is told instead. */
const retryAfterMsMax = 30_000

export interface RetryOptions {
  retries: number
  clock: Clock
  random: Random
  /** Aborted: waiting ends at once with its reason. */
  signal: AbortSignal
}

/**
 * @param attempt one try; `canRepeat` says whether nothing of it has been passed on
 * @throws what the last try threw
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  canRepeat: () => boolean,
  options: RetryOptions,
): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ModelError) || !error.isTransient || tried > options.retries || !canRepeat()) throw error
      const waitMs = error.retryAfterMs ?? backoff.delayMs(tried, options.random)
      if (waitMs > retryAfterMsMax) throw error
      await sleep(options.clock, waitMs, options.signal)
    }
  }
}

/** Milliseconds of a Retry-After header: seconds, or a date. */
export function retryAfterMs(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined || header.trim() === '') return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(header.trim())) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - clock.now())
}
