/** Tries again what failed in passing, while nothing of it was passed on and the call's time lasts. */

import type { Random } from '../runtime/random.ts'
import { fullJitter } from '../runtime/time/backoff.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { ModelError } from './errors.ts'
import type { CallEnd } from './http/call-end.ts'

const backoff = fullJitter(250, 8_000)

/** An endpoint that asks for more patience than this is not waited for: the client is told when to come back. */
const waitMsMax = 30_000

export interface Retries {
  /** Attempts after the first. */
  most: number
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
  end: CallEnd,
  { most, clock, random }: Retries,
): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ModelError) || !error.isTransient || tried > most || !canRepeat()) throw error
      const waitMs = Math.max(error.retryAfterMs ?? 0, backoff.delayMs(tried, random))
      // A wait that the call would not live through only hides what went wrong.
      if (waitMs > waitMsMax || waitMs >= end.leftMs) throw error
      await pause(waitMs, clock, end)
    }
  }
}

function pause(waitMs: number, clock: Clock, end: CallEnd): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(waitMs, () => {
      end.watch(undefined)
      resolve()
    })
    end.watch((reason) => {
      timer.cancel()
      reject(reason)
    })
  })
}
