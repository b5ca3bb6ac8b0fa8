/** Records how a turn ended whose caller has left with the answer: retried while the database is away. */
import { isOutage } from '../../runtime/failure.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import { retried } from '../../runtime/time/retried.ts'
import type { TurnEnd, TurnRecord } from '../../store/turns/turns.ts'
import type { CallContext } from './call-context.ts'

/** Some two minutes; a database that comes back later finds these turns closed as interrupted. */
const attemptsMax = 12
const backoff = exponential(ms(500), seconds(10))

/** Recording an end twice is recording it once. Only of turns that the database knows is it retried: those that ran when it left, no more. */
export async function recordEnd(
  { services, clock, random, key }: CallContext,
  record: TurnRecord,
  end: TurnEnd,
): Promise<void> {
  let isKnown = true
  record.known.catch(() => {
    isKnown = false
  })
  try {
    const isRetryable = (error: unknown) => isKnown && isOutage(error)
    await retried(() => record.end(end), { backoff, attemptsMax, isRetryable }, { clock, random })
  } catch (error) {
    services.log.warn({ err: error, turn: key }, 'the end of a turn was not recorded; it will be closed as interrupted')
  }
}
