/** The slots: each is one node's, under a lease whose number counts up with each change of hands. */
import { slotOf } from '../../runtime/nodes/slot.ts'
import type { Database } from '../database.ts'
import { type Fragment, sql } from '../postgres/sql.ts'
import { isOnKnownPrimary } from './primary.ts'

export interface Slot {
  slot: number
  /** Null: nobody has had it yet. */
  node: number | null
  lease: number
}

export interface HeldSlot {
  slot: number
  lease: number
}

/** A key (a channel, a maintenance task) whose slot is this node's, and the lease under which it works at it. */
export interface HeldKey {
  key: string
  node: number
  lease: number
}

interface SlotRow {
  slot: number
  node_epoch: string | null
  lease_epoch: string
}

/** All of them, in their order. */
export async function readSlots(db: Database): Promise<Slot[]> {
  const rows = await db.system<SlotRow>`select slot, node_epoch, lease_epoch from slots order by slot`
  return rows.map(slotOfRow)
}

/**
 * Takes those of these that no living node has, as long as their leases are still those that were seen: of two nodes that take
 * one at once, the second finds another. A statement of an earlier owner that is under way is waited for.
 */
export async function takeSlots(db: Database, node: number, slots: readonly HeldSlot[]): Promise<HeldSlot[]> {
  const rows = await db.system<SlotRow>`
    update slots set node_epoch = ${node}::bigint, lease_epoch = lease_epoch + 1
    from unnest(${slots.map(({ slot }) => slot)}::smallint[], ${slots.map(({ lease }) => lease)}::bigint[]) as seen (slot, lease)
    where slots.slot = seen.slot and slots.lease_epoch = seen.lease and not exists (
      select from instances where epoch = slots.node_epoch and stopped_at is null and lost_at is null)
      and ${isOnKnownPrimary()}
    returning slots.slot, node_epoch, lease_epoch`
  return rows.map(slotOfRow)
}

/** Hands over slots of this node in which nothing runs any more. @returns those that were still its own */
export async function giveSlots(
  db: Database,
  { from, to }: { from: number; to: number },
  slots: readonly number[],
): Promise<number[]> {
  const rows = await db.system<SlotRow>`
    update slots set node_epoch = ${to}::bigint, lease_epoch = lease_epoch + 1
    where slot = any(${slots}::smallint[]) and node_epoch = ${from}::bigint and ${isOnKnownPrimary()}
    returning slot, node_epoch, lease_epoch`
  return rows.map(({ slot }) => slot)
}

function slotOfRow({ slot, node_epoch, lease_epoch }: SlotRow): Slot {
  return { slot, node: node_epoch === null ? null : Number(node_epoch), lease: Number(lease_epoch) }
}

/**
 * The slots of `input`, a table of the statement with `slot` and `lease`, that are still this node's under that lease. Locked:
 * who takes one waits until the statement is committed, and sees what it wrote.
 */
export function heldSlots(node: number): Fragment {
  return sql`
      select slot, lease_epoch as lease from slots
      where node_epoch = ${node}::bigint and (slot, lease_epoch) in (select slot, lease from input) order by slot for share`
}

/** As `heldSlots`, of one key: a condition. */
export function isHeld({ key, node, lease }: HeldKey): Fragment {
  return sql`exists (
        select from slots where slot = ${slotOf(key)}::smallint and node_epoch = ${node}::bigint and lease_epoch = ${lease}::bigint
        for share)`
}
