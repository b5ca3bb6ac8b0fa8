/** The state of a worker pool in numbers. */

/** How a task ended. died: lost with its thread. */
export type TaskEnd = 'done' | 'failed' | 'refused' | 'cancelled' | 'timedOut' | 'died'

export interface PoolGauges extends Readonly<Record<TaskEnd, number>> {
  /** Threads alive; none while the pool is idle. */
  readonly workers: number
  readonly running: number
  readonly waiting: number
}
