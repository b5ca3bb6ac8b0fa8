/** Makes deliveries of what has happened, and wakes the outboxes that have something due: one node does it for all. */
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { SubscriptionId } from '../../store/id.ts'
import { dueSubscriptions, fanOutEvents, fullOutboxes, waitingMax } from '../../store/subscriptions/outbox.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { Services } from '../services.ts'
import { subscription } from './actor.ts'
import { quietUntil } from './quiet-hours.ts'

/** Of one run; the next one goes on. */
const roundsMax = 50
const wokenMax = 1_000
/** It reads all that waits where much does. */
const fullEveryMs = seconds(10)

interface Parts {
  services: Pick<Services, 'db'>
  system: Pick<System, 'actor'>
  clock: Clock
  log: Log
}

export function eventFanOut({ services, system, clock, log }: Parts): MaintenanceTask {
  const { db } = services
  let full: ReadonlySet<SubscriptionId> = new Set()
  let nextLookMs = 0

  async function lookForFull(): Promise<void> {
    if (clock.elapsed() < nextLookMs) return
    nextLookMs = clock.elapsed() + fullEveryMs
    const found = await fullOutboxes(db)
    const fresh = [...found].filter((id) => !full.has(id))
    if (fresh.length > 0)
      log.warn(
        { subscriptions: fresh, waitingMax },
        'too much waits for these subscriptions; events are left out for them',
      )
    full = found
  }

  return {
    name: 'subscriptions',
    isForAll: true,
    intervalMs: seconds(1),
    async run(signal, held) {
      const now = new Date(clock.now())
      await lookForFull()
      for (let round = 0; round < roundsMax && !signal.aborted; round++) {
        const heldUntil: Parameters<typeof fanOutEvents>[2] = (quiet, event) =>
          event.isUrgent ? null : quietUntil(quiet, now)
        const { isMore } = await fanOutEvents(db, held, heldUntil, { full })
        if (!isMore) break
      }
      for (const id of await dueSubscriptions(db, wokenMax)) {
        try {
          system.actor(subscription, id).tell('deliver', {})
        } catch (error) {
          log.debug({ err: error, subscription: id }, 'an outbox could not be woken; the next run wakes it')
        }
      }
    },
  }
}
