/** What can go wrong between a caller and a worker thread. Errors that the task throws itself are passed on. */
import { Failure } from '../failure.ts'

export class PoolFull extends Failure {
  readonly code = 'pool_full'
  constructor(pool: string, queueMax: number) {
    super(`the queue of the ${pool} pool is full: ${queueMax} tasks wait`)
  }
}

/** The task did not end in time; its thread was ended with it. */
export class TaskTimeout extends Failure {
  readonly code = 'task_timeout'
  constructor(pool: string, timeoutMs: number) {
    super(`a task of the ${pool} pool did not end within ${timeoutMs} ms`)
  }
}

/** The thread ended during the task: out of memory, `process.exit`, an uncaught error. The next task gets a new thread. */
export class WorkerDied extends Failure {
  readonly code = 'worker_died'
  constructor(pool: string, cause: unknown) {
    super(`a worker of the ${pool} pool died: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

export class PoolClosed extends Failure {
  readonly code = 'pool_closed'
  constructor(pool: string) {
    super(`the ${pool} pool is closed`)
  }
}
