/** A node that has said once that it lives, for tests of what the database lets it do. */
import type { Database } from '../../store/database.ts'
import { newNodeNumber, registerNode } from '../../store/nodes/nodes.ts'

export async function registeredNode(db: Database, leaseMs = 60_000): Promise<number> {
  const epoch = await newNodeNumber(db, leaseMs)
  await registerNode(db, { epoch, version: '1', pid: 1 }, leaseMs)
  return epoch
}
