/** What a batch does about its errors: a deadlock is tried again, a row that cannot be stored fails alone. */
import { setTimeout as wait } from 'node:timers/promises'
import { sqlStateOf } from '../errors.ts'

const attemptsMax = 5

/**
 * Wraps a batch statement for a batcher.
 * @param write one statement for all rows; it must be all or nothing
 * @throws the row's own error, for a single row
 */
export function resilient<Row, Result>(write: (rows: Row[]) => Promise<Result[]>): (rows: Row[]) => Promise<Result[]> {
  async function attempt(rows: Row[], tries: number): Promise<Result[]> {
    try {
      return await write(rows)
    } catch (error) {
      const state = sqlStateOf(error)
      // Deadlock and serialisation failure: nothing was written, and the next try meets other company.
      if ((state === '40P01' || state === '40001') && tries < attemptsMax) {
        await wait(tries * 5)
        return attempt(rows, tries + 1)
      }
      throw error
    }
  }
  return (rows) => attempt(rows, 1)
}

/** Classes 22 and 23: the data of a row, not the state of the database. */
export function isRowError(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== undefined && (state.startsWith('22') || state.startsWith('23'))
}
