/** The wall time of the database, which is that of all nodes. */
import type { Database } from './database.ts'

/** In milliseconds since the Unix epoch. */
export async function databaseTimeMs(db: Database): Promise<number> {
  const [row] = await db.system<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  if (!row) throw new Error('the database did not say its time')
  return row.ms
}
