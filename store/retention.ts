/** What takes the disk: tables that grow, with their sizes, their oldest row and what they grow by. */
import type { Database } from './database.ts'

export interface TableSize {
  table: string
  rows: number
  /** By the planner: more than `countedMax` are not counted, since that would read the table. */
  isEstimate: boolean
  bytes: number
  parts: number
  oldestAt: Date | null
}

const countedMax = 10_000

/** Of a UUID of version 7. */
const timeOf = (uuid: string) =>
  `to_timestamp(('x' || left(replace(${uuid}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`

/** The oldest row of each, by an index. */
const oldest: Record<string, string> = {
  turn_steps: `select ${timeOf('turn_id')} from turn_steps order by turn_id limit 1`,
  delivery_attempts: `select ${timeOf('delivery_id')} from delivery_attempts order by delivery_id limit 1`,
  usage_entries:
    'select min(coalesce(from_at, to_at)) from partitions where parent = $q$usage_entries$q$ and from_at < now()',
  events: 'select at from events order by xid, id limit 1',
  inbound: 'select min(at) from inbound',
  turns: `select ${timeOf('id')} from turns order by id limit 1`,
  messages: 'select min(created_at) from (select created_at from messages order by id limit 1) as first',
  deliveries: `select ${timeOf('id')} from deliveries order by id limit 1`,
  responses: 'select created_at from responses order by id limit 1',
  audit_log: `select ${timeOf('id')} from audit_log order by id limit 1`,
  subscription_deliveries: `select ${timeOf('id')} from subscription_deliveries order by id limit 1`,
  alerts: `select ${timeOf('id')} from alerts order by id limit 1`,
}

export const sizedTables = Object.keys(oldest)

export async function tableSizes(db: Database): Promise<TableSize[]> {
  const sizes = await db.system<Omit<TableSize, 'oldestAt'>>`
    select coalesce(partitions.parent, relname) as table, count(*)::int as parts,
      sum(greatest(reltuples, 0))::float8 as rows, sum(pg_total_relation_size(pg_class.oid))::float8 as bytes
    from pg_class left join partitions on partitions.name = relname
    where relnamespace = 'public'::regnamespace and relkind = 'r' and coalesce(partitions.parent, relname) = any(${sizedTables}::text[])
    group by 1 order by 4 desc`
  return await Promise.all(
    sizes.map(async (size) => {
      const count =
        size.rows > countedMax
          ? 'null'
          : `select count(*) from (select from ${size.table} limit ${countedMax + 1}) as first`
      const [row] = await db.system<{ at: Date | null; counted: number | null }>(
        statement(`select (${oldest[size.table]}) as at, (${count})::int as counted`),
      )
      const counted = row?.counted ?? null
      const isEstimate = counted === null || counted > countedMax
      return { ...size, rows: isEstimate ? size.rows : counted, isEstimate, oldestAt: row?.at ?? null }
    }),
  )
}

/** The whole database, in bytes. */
export async function databaseBytes(db: Database): Promise<number> {
  const [row] = await db.system<{ bytes: number }>`select pg_database_size(current_database())::float8 as bytes`
  return row?.bytes ?? 0
}

/** A statement of this file's own text. */
function statement(text: string): TemplateStringsArray {
  return Object.assign([text], { raw: [text] })
}
