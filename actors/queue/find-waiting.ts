/**
 * Finds turns that wait in the database and that the queue does not know: left by an earlier start, or stored by a statement
 * whose answer was lost with the connection.
 */
import type { Log } from '../../runtime/log/log.ts'
import { type Random, systemRandom } from '../../runtime/random.ts'
import { fullJitter } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import { waitingConversations } from '../../store/turns/queue.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { Services } from '../services.ts'

/** Of one run; the next ones find the rest. */
const conversationsMax = 100_000

/** Younger turns are about to enter the queue through whoever stored them. */
const graceMs = seconds(10)

/**
 * A turn during which the service has ended more than once may be what ends it. It waits a random time, so that it does not
 * always begin together with all the others, and they are not always ended with it.
 */
const innocentAttempts = 2
const suspicion = fullJitter(seconds(1), seconds(10))

interface Dependencies {
  services: Services
  clock: Clock
  log: Log
}

/** @param olderThanMs how long they must have waited */
export async function findWaiting(
  { services: { db, leases, queue }, clock, log }: Dependencies,
  olderThanMs: number,
  random: Random = systemRandom,
): Promise<void> {
  const before = new Date(clock.now() - olderThanMs)
  let found = 0
  for (const waiting of await waitingConversations(db, before, conversationsMax)) {
    const { conversation, channelId, turns, attempts } = waiting
    const lane = channelId ?? 'none'
    if (leases.of(conversation) === undefined || queue.isTracked(conversation, lane)) continue
    const isSuspect = attempts > innocentAttempts
    const afterMs = isSuspect ? suspicion.delayMs(attempts - innocentAttempts, random) : undefined
    queue.found({ conversation, lane, turns, ...(afterMs !== undefined && { afterMs }) })
    found++
  }
  if (found > 0) log.info({ conversations: found }, 'queued turns were found and are run')
}

export interface WaitingTurns {
  task: MaintenanceTask
  /** Finds them now: slots have become this node's. */
  find(): Promise<void>
}

/** Finds them whenever channels change: that is announced too when the database is back after an outage. */
export function startFinding(dependencies: Dependencies & { changes: Changes }): WaitingTurns {
  const { changes, log } = dependencies
  changes.onChange('channels', () => {
    findWaiting(dependencies, 0).catch((error: unknown) =>
      log.warn({ err: error }, 'queued turns could not be searched for; the next run finds them'),
    )
  })
  return { task: waitingTurns(dependencies), find: () => findWaiting(dependencies, 0) }
}

function waitingTurns(dependencies: Dependencies): MaintenanceTask {
  return { name: 'waiting-turns', intervalMs: seconds(20), run: () => findWaiting(dependencies, graceMs) }
}
