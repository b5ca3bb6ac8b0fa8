/** What a maintenance actor does: a name, an interval, and one run. */
import { z } from 'zod'

export const MaintenanceName = z.enum(['agents', 'approvals', 'lost-turns', 'outboxes', 'retention', 'waiting-turns'])
export type MaintenanceName = z.infer<typeof MaintenanceName>

export interface MaintenanceTask {
  name: MaintenanceName
  /** One node does it for all: the one whose slot its name is in. Absent: each does its own. */
  isForAll?: boolean
  /** From the end of one run to the start of the next; the first begins so long after the start. */
  intervalMs: number
  /** @throws whatever it fails with: the supervisor logs it. Aborted when the service stops */
  run(signal: AbortSignal): Promise<void> | void
}
