/**
 * Finds turns that wait in the database and are not known here: left by an earlier start, or stored by a statement whose
 * answer was lost with the connection.
 */

import type { Log } from '../../runtime/log/log.ts'
import { type Random, systemRandom } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { waitingConversations } from '../../store/turns/queue.ts'
import type { Services } from '../services.ts'

/** Of one look; those behind them are found when these are answered. */
const conversationsMax = 100_000

const everyMs = seconds(20)

/** Younger ones are about to be told of by whoever stored them. */
const graceMs = seconds(10)

/**
 * A turn during which the service has ended more than once may be what ends it. It waits for a moment of its own, each time
 * for another: so that it is not always begun together with all the others, and they are not always ended with it.
 */
const innocentAttempts = 2
const suspicion = fullJitter(seconds(1), seconds(10))

/** @param olderThanMs how long they must have waited */
export async function findWaiting(
  parts: { services: Services; clock: Clock; log: Log },
  olderThanMs: number,
  random: Random = systemRandom,
): Promise<void> {
  const { services, clock, log } = parts
  const { db, queue } = services
  try {
    const before = new Date(clock.now() - olderThanMs)
    let found = 0
    for (const { conversation, channelId, turns, attempts } of await waitingConversations(
      db,
      before,
      conversationsMax,
    )) {
      const lane = channelId ?? 'none'
      if (queue.isTracked(conversation, lane)) continue
      const isSuspect = attempts > innocentAttempts
      const afterMs = isSuspect ? suspicion.delayMs(attempts - innocentAttempts, random) : undefined
      queue.found({ conversation, lane, turns, ...(afterMs !== undefined && { afterMs }) })
      found++
    }
    if (found > 0) log.info({ conversations: found }, 'queued turns were found and are run')
  } catch (error) {
    log.debug({ err: error }, 'queued turns could not be looked for; the next look finds them')
  }
}

/** @returns stops it */
export function keepFinding(parts: { services: Services; clock: Clock; log: Log }): () => void {
  const { clock } = parts
  let isStopped = false
  let timer = clock.after(everyMs, look)

  async function look(): Promise<void> {
    await findWaiting(parts, graceMs)
    if (!isStopped) timer = clock.after(everyMs, look)
  }

  return () => {
    isStopped = true
    timer.cancel()
  }
}
