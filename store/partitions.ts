/**
 * Tables that are partitioned by time: parts are made ahead and dropped whole, which gives the disk back at once. The database
 * knows which tables (`partitioned_tables`); a part that still has rows to keep is not dropped.
 */
import type { Database } from './database.ts'

export interface Partition {
  name: string
  /** Null: from the beginning. */
  fromAt: Date | null
  toAt: Date
}

/** So that a service that could not make any for a month still writes. */
const aheadDays = 28

/** Makes those that are missing. @returns how many were made */
export async function makePartitions(db: Database): Promise<number> {
  const [row] = await db.system<{ made: number }>`
    select service_make_partitions(now() + make_interval(days => ${aheadDays}::integer)) as made`
  return row?.made ?? 0
}

/** The partitions of a table that hold nothing younger than `before`, oldest first. */
export async function partitionsBefore(db: Database, parent: string, before: Date): Promise<Partition[]> {
  return await db.system<Partition>`
    select name, from_at as "fromAt", to_at as "toAt" from partitions
    where parent = ${parent} and to_at <= ${before} order by to_at`
}

/** @returns false: it is gone already. @throws where its table is in use for longer than two seconds: the next run tries again */
export async function dropPartition(db: Database, name: string): Promise<boolean> {
  const [row] = await db.system<{ dropped: boolean }>`select service_drop_partition(${name}) as dropped`
  return row?.dropped ?? false
}
