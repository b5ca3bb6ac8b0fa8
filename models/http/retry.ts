/** The wait before a failed call is attempted again, while nothing of its answer was passed on and its time lasts. */
import type { Random } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
import type { CallCancellation } from './call-cancellation.ts'

const backoff = fullJitter(250, 8_000)

/** An endpoint that asks for more patience than this is not waited for: the client is told when to come back. */
const waitMsMaxByDefault = 30_000

export interface RetryOptions {
  /** Attempts after the first. */
  retriesMax: number
  /** By default half a minute. */
  waitMsMax?: number | undefined
  clock: Clock
  random: Random
}

/**
 * @param failure of the last attempt @param attempt its number, from 1
 * @throws the failure itself, where no other attempt may follow; what ended the call during the wait
 */
export async function waitForRetry(
  failure: unknown,
  attempt: number,
  cancellation: CallCancellation,
  { retriesMax, waitMsMax = waitMsMaxByDefault, clock, random }: RetryOptions,
): Promise<void> {
  if (!(failure instanceof ModelError) || !failure.isTransient || attempt > retriesMax) throw failure
  const waitMs = Math.max(failure.retryAfterMs ?? 0, backoff.delayMs(attempt, random))
  // Where the call would end during the wait, the failure says more than a timeout.
  if (waitMs > waitMsMax || waitMs >= cancellation.remainingMs) throw failure
  await new Promise<void>((resolve, reject) => {
    const timer = clock.after(waitMs, () => {
      cancellation.onCancel(undefined)
      resolve()
    })
    cancellation.onCancel((reason) => {
      timer.cancel()
      reject(reason)
    })
  })
}
