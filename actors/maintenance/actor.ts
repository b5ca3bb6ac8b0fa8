/** Work that is done again and again, each task by an actor of its name: a run that fails is logged, and the next one follows. */

import type { System } from '../../runtime/actor/system.ts'
import { isOutage } from '../../runtime/failure.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import { every, type Repetition } from '../../runtime/time/every.ts'
import type { HeldKey } from '../../store/nodes/slots.ts'
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
    /** @param held of a task that is for all */
    async run({ services, key, signal }, { held }: { held: HeldKey | null }) {
      const task = services.maintenance.get(key)
      try {
        if (!task?.isForAll) await task?.run(signal)
        else if (held) await task.run(signal, held)
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
  const { leases } = services
  const { name } = task
  const ask = (signal: AbortSignal, held: HeldKey | null) =>
    system.actor(maintenance, name).ask('run', { held }, { signal, deadlineMs: Number.POSITIVE_INFINITY })
  async function run(signal: AbortSignal): Promise<void> {
    if (!task.isForAll) return await ask(signal, null)
    const hold = leases.isCurrent ? leases.hold(name) : undefined
    if (!hold) return
    try {
      await ask(signal, { key: name, node: leases.node, lease: hold.lease })
    } finally {
      hold.release()
    }
  }
  // The supervisor has logged what a run failed with.
  return every(task.intervalMs, run, { clock, onError() {} })
}
