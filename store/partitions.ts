/**
 * Tables that are partitioned by time: parts are made ahead and dropped whole, which gives the disk back at once. Which tables are
 * so stands in the database (`partitioned_tables`), by the migration that makes one; here is what of each must not be dropped yet.
 */
import type { Database } from './database.ts'
import { firstUuidAt } from './id.ts'
import { type Fragment, sql } from './postgres/sql.ts'
import { openStatuses } from './turns/status.ts'

export interface Partition {
  name: string
  /** Null: from the beginning. */
  fromAt: Date | null
  toAt: Date
}

interface KeyRange {
  from: string
  to: string
}

/**
 * Whether there are rows in this range of keys that stay, whatever their age: of turns that have not ended, and calls of which
 * nobody knows whether they took effect. Of a table without such rows: undefined.
 */
const keepers = {
  turn_steps: ({ from, to }: KeyRange) => sql`exists (
      select from turn_steps where turn_id >= ${from}::uuid and turn_id < ${to}::uuid and status = 'unknown')
    or exists (select from turns where id >= ${from}::uuid and id < ${to}::uuid and status in ${openStatuses})`,
  usage_entries: undefined,
} as const satisfies Record<string, ((range: KeyRange) => Fragment) | undefined>

export type PartitionedTable = keyof typeof keepers

/** So that a service that could not make any for a month still writes. */
const aheadDays = 28

/** Makes those that are missing. @returns how many were made */
export async function makePartitions(db: Database): Promise<number> {
  const [row] = await db.system<{ made: number }>`
    select service_make_partitions(now() + make_interval(days => ${aheadDays}::integer)) as made`
  return row?.made ?? 0
}

/** The partitions of a table that hold nothing younger than `before`, oldest first. */
export async function partitionsBefore(db: Database, parent: PartitionedTable, before: Date): Promise<Partition[]> {
  return await db.system<Partition>`
    select name, from_at as "fromAt", to_at as "toAt" from partitions
    where parent = ${parent} and to_at <= ${before} order by to_at`
}

/** All of them, oldest first, with what they take on the disk. */
export async function sizesOfPartitions(
  db: Database,
  parent: PartitionedTable,
): Promise<(Partition & { bytes: number })[]> {
  return await db.system<Partition & { bytes: number }>`
    select name, from_at as "fromAt", to_at as "toAt", pg_total_relation_size(name::regclass)::float8 as bytes from partitions
    where parent = ${parent} order by to_at`
}

export async function hasRowsToKeep(
  db: Database,
  parent: PartitionedTable,
  { fromAt, toAt }: Partition,
): Promise<boolean> {
  const keeps = keepers[parent]
  if (!keeps) return false
  const range = { from: firstUuidAt(fromAt?.getTime() ?? 0), to: firstUuidAt(toAt.getTime()) }
  const [row] = await db.system<{ keeps: boolean }>`select ${keeps(range)} as keeps`
  return row?.keeps ?? true
}

/** @returns false: it is gone already. @throws where its table is in use for longer than two seconds: the next run tries again */
export async function dropPartition(db: Database, name: string): Promise<boolean> {
  const [row] = await db.system<{ dropped: boolean }>`select service_drop_partition(${name}) as dropped`
  return row?.dropped ?? false
}
