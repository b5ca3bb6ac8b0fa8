/** What a maintenance actor does: a name, an interval, and one run. */

export type MaintenanceName = 'agents' | 'approvals' | 'lost-turns' | 'outboxes' | 'retention' | 'waiting-turns'

export interface MaintenanceTask {
  name: MaintenanceName
  /** From the end of one run to the start of the next; the first begins so long after the start. */
  intervalMs: number
  /** @throws whatever it fails with: the supervisor logs it. Aborted when the service stops */
  run(signal: AbortSignal): Promise<void> | void
}
