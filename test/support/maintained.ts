/** A maintenance task in an actor system of the test, on its clock. */
import { startMaintenance } from '../../actors/maintenance/actor.ts'
import type { MaintenanceTask } from '../../actors/maintenance/task.ts'
import type { Services } from '../../actors/services.ts'
import { createSystem } from '../../runtime/actor/system.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { recordingLog } from './recording-log.ts'

export function maintained(task: MaintenanceTask, clock: Clock) {
  const { log, lines } = recordingLog()
  const leases = { node: 1, of: () => 1, hold: () => undefined, isCurrent: true }
  const services: Pick<Services, 'leases' | 'log' | 'maintenance'> = { leases, log, maintenance: new Map() }
  const system = createSystem({ services, log, clock })
  return { system, lines, repetition: startMaintenance({ services, system, clock }, task) }
}
