/** Group commit into the database: a batcher whose flush is one statement, and whose bad rows fail alone. */
import { type Batcher, type BatchLimits, type BatchTracing, batcher, RowFailed } from '../../runtime/batcher.ts'
import { isRowError, resilient } from './batch-retry.ts'

/** @param write one statement for all rows, all or nothing; results in the order of the rows */
export function databaseBatch<Row, Result>(
  write: (rows: Row[]) => Promise<Result[]>,
  limits: BatchLimits,
  tracing?: BatchTracing,
): Batcher<Row, Result> {
  const attempt = resilient(write)

  /** Halves a batch until the row that cannot be stored stands alone. */
  async function settle(rows: Row[]): Promise<(Result | RowFailed)[]> {
    try {
      return await attempt(rows)
    } catch (error) {
      if (!isRowError(error)) throw error
      if (rows.length === 1) return [new RowFailed(error)]
      const middle = rows.length >> 1
      return [...(await settle(rows.slice(0, middle))), ...(await settle(rows.slice(middle)))]
    }
  }

  return batcher(settle, limits, tracing)
}
