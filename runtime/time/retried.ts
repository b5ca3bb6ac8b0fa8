/** Retries: the policy is a value, the loop stands once. */
import { isOutage } from '../failure.ts'
import type { Random } from '../random.ts'
import type { Backoff } from './backoff.ts'
import { type Clock, sleep } from './clock.ts'

export interface RetryPolicy {
  /** The waits between attempts. */
  backoff: Backoff
  /** All attempts, the first included; without it they end with success or the signal. */
  attemptsMax?: number
  /** No wait goes beyond this time after the start of the first attempt: the error is thrown instead. */
  withinMs?: number
  /** The errors after which another attempt makes sense; default: outages. */
  isRetryable?: (error: unknown) => boolean
}

export interface RetryOptions {
  clock: Clock
  random: Random
  /** Aborts waits, so that no attempt follows. The first attempt is always made. */
  signal?: AbortSignal | undefined
  /** Before each wait. */
  onRetry?(error: unknown, retry: { attempt: number; waitMs: number }): void
}

/**
 * Does `work` until it succeeds or the policy ends it.
 * @param work must be safe to repeat; attempts count from 1
 * @throws the last attempt's error, also where the signal aborted during it; the signal's reason where it aborts between two
 */
export async function retried<Result>(
  work: (attempt: number) => Promise<Result>,
  { backoff, attemptsMax = Number.POSITIVE_INFINITY, withinMs, isRetryable = isOutage }: RetryPolicy,
  { clock, random, signal, onRetry }: RetryOptions,
): Promise<Result> {
  const endsMs = withinMs === undefined ? Number.POSITIVE_INFINITY : clock.elapsed() + withinMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (signal?.aborted || attempt >= attemptsMax || !isRetryable(error)) throw error
      const waitMs = backoff.delayMs(attempt, random)
      if (clock.elapsed() + waitMs > endsMs) throw error
      onRetry?.(error, { attempt, waitMs })
      await sleep(clock, waitMs, signal)
    }
  }
}
