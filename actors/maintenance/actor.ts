/** Work that is done again and again, each task by an actor of its name: a run that fails is logged, and the next one follows. */

import type { System } from '../../runtime/actor/system.ts'
import { isOutage } from '../../runtime/failure.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import { every, type Repetition } from '../../runtime/time/every.ts'
import { defineActor, type Services } from '../services.ts'
import { MaintenanceName, type MaintenanceTask } from './task.ts'

export const maintenance = defineActor({
  kind: 'maintenance',
  under: 'maintenance',
  key: MaintenanceName,
  mailbox: { capacity: 4 },
  // The work of a task is taken up by its next run, so no stop waits for it.
  isAbortedByDrain: true,
  supervision: { restarts: 1_000, withinMs: minutes(1), backoff: exponential(seconds(1), seconds(30)) },
  start: () => undefined,
  receive: {
    async run({ services, key, signal }, _message: object) {
      try {
        await services.maintenance.get(key)?.run(signal)
      } catch (error) {
        // The store tells that its database is away, once; the next run looks again.
        if (!isOutage(error)) throw error
        services.log.debug({ err: error, task: key }, 'a maintenance task waits for an outage to end')
      }
    },
  },
})

/** @returns stops it: no run starts any more, and the one under way is aborted */
export function startMaintenance(
  { services, system, clock }: { services: Pick<Services, 'maintenance' | 'leases'>; system: System; clock: Clock },
  task: MaintenanceTask,
): Repetition {
  services.maintenance.set(task.name, task)
  const isOurs = () => !task.isForAll || services.leases.of(task.name) !== undefined
  const run = async (signal: AbortSignal) => {
    if (!isOurs()) return
    await system.actor(maintenance, task.name).ask('run', {}, { signal, deadlineMs: Number.POSITIVE_INFINITY })
  }
  // The supervisor has logged what a run failed with.
  return every(task.intervalMs, run, { clock, onError() {} })
}
