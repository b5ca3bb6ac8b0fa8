/** All slots in one hand, for tests of a single node. */
import type { Leases } from '../../runtime/nodes/leases.ts'
import { slotOf } from '../../runtime/nodes/slot.ts'
import type { Database } from '../../store/database.ts'
import { readSlots } from '../../store/nodes/slots.ts'

/** Every slot becomes this node's, whoever has it now: each time under a lease that is one higher. */
export async function ownSlots(db: Database, node = 1): Promise<Leases> {
  const [row] = await db.system<{ lease: string }>`
    with taken as (update slots set node_epoch = ${node}::bigint, lease_epoch = lease_epoch + 1 returning lease_epoch)
    select max(lease_epoch) as lease from taken`
  const lease = Number(row?.lease)
  return { node, of: () => lease, hold: () => ({ lease, release() {} }), isCurrent: true }
}

/** As whoever has the slot of this key now. */
export async function heldNow<Key extends string>(
  db: Database,
  key: Key,
): Promise<{ key: Key; node: number; lease: number }> {
  const { node, lease } = (await readSlots(db))[slotOf(key)] ?? {}
  return { key, node: node ?? 0, lease: lease ?? 0 }
}

/** Where turns of tests run that have all slots once. */
export const firstPlace = { node: 1, lease: 1 }
