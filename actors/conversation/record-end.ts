/** Writes how a turn ended that nobody waits for any more: where the database is away, until it is back. */
import { exponential } from '../../runtime/time/backoff.ts'
import { sleep } from '../../runtime/time/clock.ts'
import { ms, seconds } from '../../runtime/time/duration.ts'
import { DatabaseDown } from '../../store/errors.ts'
import type { TurnEnd, TurnRecord } from '../../store/turns/turns.ts'
import type { ConversationContext } from './state.ts'

/** Some two minutes; what comes back later finds these turns closed as interrupted. */
const triesMax = 12
const backoff = exponential(ms(500), seconds(10))

/**
 * Writing an end twice is writing it once. Only ends of turns that the database knows are tried again: those that ran
 * when it left, no more.
 */
export async function recordEnd(context: ConversationContext, record: TurnRecord, end: TurnEnd): Promise<void> {
  const { services, clock, random, key } = context
  for (let tries = 1; ; tries++) {
    try {
      return await record.end(end)
    } catch (error) {
      const isKnown = await record.known.then(
        () => true,
        () => false,
      )
      if (!isKnown || tries === triesMax || !(error instanceof DatabaseDown)) {
        const msg = 'the end of a turn was not recorded; it will be closed as interrupted'
        services.log.warn({ err: error, turn: key }, msg)
        return
      }
    }
    await sleep(clock, backoff.delayMs(tries, random))
  }
}
