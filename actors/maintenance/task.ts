/** What a maintenance actor does: a name, an interval, and one run. */
import { z } from 'zod'
import type { HeldKey } from '../../store/nodes/slots.ts'

export const MaintenanceName = z.enum([
  'agents',
  'alerts',
  'approvals',
  'database-time',
  'decisions',
  'endpoint-counts',
  'lost-turns',
  'media',
  'outboxes',
  'prices',
  'retention',
  'subscriptions',
  'usage',
  'waiting-turns',
])
export type MaintenanceName = z.infer<typeof MaintenanceName>

interface TaskOf<Place extends unknown[]> {
  name: MaintenanceName
  /** From the end of one run to the start of the next; the first begins so long after the start. */
  intervalMs: number
  /** @throws whatever it fails with: the supervisor logs it. Aborted when the service stops */
  run(signal: AbortSignal, ...place: Place): Promise<void> | void
}

/** One node does it for all: the one whose slot its name is in, which is not handed over meanwhile. Its writes carry the lease. */
export interface TaskForAll extends TaskOf<[held: HeldKey]> {
  isForAll: true
}

/** Each node does its own. */
export interface TaskOfNode extends TaskOf<[]> {
  isForAll?: never
}

export type MaintenanceTask = TaskForAll | TaskOfNode
