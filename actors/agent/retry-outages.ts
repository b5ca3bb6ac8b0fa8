/** What a turn writes waits for a database that is away: a call that was made must not be forgotten for a short outage. */

import { isOutage } from '../../runtime/failure.ts'
import { systemRandom } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import { retried } from '../../runtime/time/retried.ts'

const policy = { backoff: fullJitter(ms(200), seconds(2)) }

/**
 * Repeats the work until it succeeds, as long as the turn may last.
 * @param work safe to repeat
 * @throws what is no outage; once the signal has aborted the outage, or the signal's reason where it aborts between two attempts
 */
export function retryOutages<Result>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  return retried(work, policy, { clock, random: systemRandom, signal })
}

/** Whether the work failed because it was ended: while it was done, or while it waited for the database. */
export function isCutShort(signal: AbortSignal, error: unknown): boolean {
  return signal.aborted && (error === signal.reason || isOutage(error))
}
