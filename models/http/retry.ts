/** Tries again what failed in passing, while nothing of it was passed on and the call's time lasts. */

import type { Random } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
import type { CallCancellation } from './call-cancellation.ts'

const backoff = fullJitter(250, 8_000)

/** An endpoint that asks for more patience than this is not waited for: the client is told when to come back. */
const waitMsMax = 30_000

export interface RetryOptions {
  /** Attempts after the first. */
  retriesMax: number
  clock: Clock
  random: Random
}

/**
 * @param attempt one try
 * @param canRepeat whether nothing of the last try has been passed on
 * @throws what the last try threw, or what ended the call meanwhile
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  canRepeat: () => boolean,
  end: CallCancellation,
  { retriesMax: most, clock, random }: RetryOptions,
): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ModelError) || !error.isTransient || tried > most || !canRepeat()) throw error
      const waitMs = Math.max(error.retryAfterMs ?? 0, backoff.delayMs(tried, random))
      // A wait that the call would not live through only hides what went wrong.
      if (waitMs > waitMsMax || waitMs >= end.remainingMs) throw error
      await pause(waitMs, clock, end)
    }
  }
}

function pause(waitMs: number, clock: Clock, end: CallCancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(waitMs, () => {
      end.onCancel(undefined)
      resolve()
    })
    end.onCancel((reason) => {
      timer.cancel()
      reject(reason)
    })
  })
}
