/** Pinned actors: a row says on which node one lives, for as long as that node lives and has not released it. */
import type { Database } from '../database.ts'
import { type Fragment, sql } from '../postgres/sql.ts'

/** An actor that lives on this node. */
export interface Pin {
  kind: string
  key: string
  node: number
}

const isLiving = (node: Fragment) => sql`exists (
      select from instances where epoch = ${node} and stopped_at is null and lost_at is null)`

/** False: it lives on another node. One of a node that has gone is taken over; one of this node stays its own. */
export async function claimPin(db: Database, { kind, key, node }: Pin): Promise<boolean> {
  const rows = await db.system`
    insert into pinned_actors (kind, key, node_epoch)
    select ${kind}::text, ${key}::text, ${node}::bigint where ${isLiving(sql`${node}::bigint`)}
    on conflict (kind, key) do update set node_epoch = excluded.node_epoch
    where pinned_actors.node_epoch = excluded.node_epoch or not ${isLiving(sql`pinned_actors.node_epoch`)}
    returning key`
  return rows.length > 0
}

/** The node on which it lives; null: on none. */
export async function findPin(db: Database, { kind, key }: Omit<Pin, 'node'>): Promise<number | null> {
  const [row] = await db.system<{ node: string }>`
    select node_epoch as node from pinned_actors
    where kind = ${kind} and key = ${key} and ${isLiving(sql`pinned_actors.node_epoch`)}`
  return row ? Number(row.node) : null
}

export async function releasePin(db: Database, { kind, key, node }: Pin): Promise<void> {
  await db.system`delete from pinned_actors where kind = ${kind} and key = ${key} and node_epoch = ${node}::bigint`
}

/** Of nodes that have gone. */
export async function sweepPins(db: Database): Promise<void> {
  await db.system`delete from pinned_actors where not ${isLiving(sql`pinned_actors.node_epoch`)}`
}

/** The fence of what a pinned actor writes: a condition. The row is locked, so that who takes it over waits for the commit. */
export function isPinned({ kind, key, node }: Pin): Fragment {
  return sql`exists (
      select from pinned_actors where kind = ${kind} and key = ${key} and node_epoch = ${node}::bigint for share)`
}
