/** Group commit: many callers, one statement. There is no timer: a batch goes out whenever a flusher is free. */

export interface BatchLimits {
  /** Rows of one flush. */
  rowsMax: number
  /** Flushes under way at once. */
  flushersMax: number
  /** Rows that may wait; one more is refused. */
  waitingMax: number
}

export interface Batcher<Row, Result> {
  /** Resolves with the row's own result once its flush is done. @throws BatchFull, BatchClosed, or what the flush threw */
  add(row: Row): Promise<Result>
  /** Takes nothing more and resolves when all that was taken is flushed. */
  close(): Promise<void>
  readonly waiting: number
}

export class BatchFull extends Error {
  override readonly name = 'BatchFull'
  readonly code = 'batch_full'
  constructor(waitingMax: number) {
    super(`${waitingMax} rows wait already: the database is behind`)
  }
}

export class BatchClosed extends Error {
  override readonly name = 'BatchClosed'
  readonly code = 'batch_closed'
  constructor() {
    super('the batcher is closed')
  }
}

interface Waiting<Row, Result> {
  row: Row
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * @param flush writes rows in one go and resolves with one result a row, in their order
 */
export function batcher<Row, Result>(
  flush: (rows: Row[]) => Promise<Result[]>,
  limits: BatchLimits,
): Batcher<Row, Result> {
  let waiting: Waiting<Row, Result>[] = []
  let flushers = 0
  let isScheduled = false
  let closed: PromiseWithResolvers<void> | undefined

  /** At the end of this turn of the loop, so that callers of one turn share a flush. */
  function schedule(): void {
    if (isScheduled || flushers >= limits.flushersMax) return
    isScheduled = true
    queueMicrotask(start)
  }

  function start(): void {
    isScheduled = false
    while (waiting.length > 0 && flushers < limits.flushersMax) {
      const batch = waiting.length <= limits.rowsMax ? waiting : waiting.slice(0, limits.rowsMax)
      waiting = waiting.length <= limits.rowsMax ? [] : waiting.slice(limits.rowsMax)
      void run(batch)
    }
  }

  async function run(batch: Waiting<Row, Result>[]): Promise<void> {
    flushers++
    try {
      const results = await flush(batch.map((entry) => entry.row))
      if (results.length !== batch.length) {
        throw new Error(`a flush of ${batch.length} rows gave ${results.length} results`)
      }
      for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    }
    flushers--
    if (waiting.length > 0) start()
    else if (flushers === 0) closed?.resolve()
  }

  return {
    add(row) {
      if (closed) return Promise.reject(new BatchClosed())
      if (waiting.length >= limits.waitingMax) return Promise.reject(new BatchFull(limits.waitingMax))
      return new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject })
        schedule()
      })
    },
    close() {
      closed ??= Promise.withResolvers<void>()
      if (waiting.length === 0 && flushers === 0) closed.resolve()
      return closed.promise
    },
    get waiting() {
      return waiting.length
    },
  }
}
