/** Group commit into the database: a batcher whose flush is one statement, and whose bad rows fail alone. */
import { type Batcher, type BatchLimits, type BatchTracing, batcher } from '../../runtime/batcher.ts'
import { isRowError, resilient } from './batch-retry.ts'

type Settled<Result> = { result: Result } | { error: unknown }

/** @param write one statement for all rows, all or nothing; results in the order of the rows */
export function databaseBatch<Row, Result>(
  write: (rows: Row[]) => Promise<Result[]>,
  limits: BatchLimits,
  tracing?: BatchTracing,
): Batcher<Row, Result> {
  const attempt = resilient(write)

  /** Halves a batch until the row that cannot be stored stands alone. */
  async function settle(rows: Row[]): Promise<Settled<Result>[]> {
    try {
      return (await attempt(rows)).map((result) => ({ result }))
    } catch (error) {
      if (!isRowError(error)) throw error
      if (rows.length === 1) return [{ error }]
      const middle = rows.length >> 1
      return [...(await settle(rows.slice(0, middle))), ...(await settle(rows.slice(middle)))]
    }
  }

  const inner = batcher<Row, Settled<Result>>(settle, limits, tracing)
  return {
    async add(row) {
      const settled = await inner.add(row)
      if ('error' in settled) throw settled.error
      return settled.result
    },
    flushed: () => inner.flushed(),
    close: () => inner.close(),
    get waiting() {
      return inner.waiting
    },
  }
}
