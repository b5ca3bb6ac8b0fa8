/** All slots in one hand, for tests of a single node. */
import type { Leases } from '../../runtime/nodes/leases.ts'
import type { Database } from '../../store/database.ts'

/** Every slot becomes this node's, whoever has it now: each time under a lease that is one higher. */
export async function ownSlots(db: Database, node = 1): Promise<Leases> {
  const [row] = await db.system<{ lease: string }>`
    with taken as (update slots set node_epoch = ${node}::bigint, lease_epoch = lease_epoch + 1 returning lease_epoch)
    select max(lease_epoch) as lease from taken`
  const lease = Number(row?.lease)
  return { node, of: () => lease, hold: () => ({ lease, release() {} }), isCurrent: true }
}
