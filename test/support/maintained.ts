/** A maintenance task in an actor system of the test, on its clock. */
import { startMaintenance } from '../../actors/maintenance/actor.ts'
import type { MaintenanceTask } from '../../actors/maintenance/task.ts'
import type { Services } from '../../actors/services.ts'
import { createSystem } from '../../runtime/actor/system.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { recordingLog } from './recording-log.ts'

export function maintained(task: MaintenanceTask, clock: Clock) {
  const { log, lines } = recordingLog()
  const leases = leasesOfTest()
  const services: Pick<Services, 'leases' | 'log' | 'maintenance'> = { leases, log, maintenance: new Map() }
  const system = createSystem({ services, log, clock })
  return { system, lines, leases, repetition: startMaintenance({ services, system, clock }, task) }
}

/** Of a node that has every slot under one lease, or none. */
function leasesOfTest() {
  return {
    node: 1,
    lease: 1 as number | undefined,
    holds: 0,
    isCurrent: true,
    of() {
      return this.lease
    },
    hold() {
      const { lease } = this
      if (lease === undefined) return undefined
      this.holds++
      return { lease, release: () => void this.holds-- }
    },
  }
}
