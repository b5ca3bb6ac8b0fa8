/** What a batch does about errors: a deadlock is retried, a row that cannot be stored fails alone. */
import { setTimeout as wait } from 'node:timers/promises'
import { sqlStateOf } from '../errors.ts'

const attemptsMax = 5

/**
 * Wraps a batch statement for a batcher.
 * @param write one statement for all rows; it must be all or nothing
 * @throws the row's own error, for a single row
 */
export function resilient<Row, Result>(write: (rows: Row[]) => Promise<Result[]>): (rows: Row[]) => Promise<Result[]> {
  return async (rows) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(rows)
      } catch (error) {
        if (!isTransactionConflict(error) || attempt >= attemptsMax) throw error
        await wait(attempt * 5)
      }
    }
  }
}

/** Deadlock and serialisation failure: nothing was written, and the next attempt runs beside other transactions. */
function isTransactionConflict(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40P01' || state === '40001'
}

/**
 * The fault is in the data of a row, not in the state of the database: classes 22 and 23, and what no statement could be
 * made of.
 */
export function isRowError(error: unknown): boolean {
  if (error instanceof TypeError) return true
  const state = sqlStateOf(error)
  return state !== undefined && (state.startsWith('22') || state.startsWith('23'))
}
