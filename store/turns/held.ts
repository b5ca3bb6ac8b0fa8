/** A turn that runs on this node: the condition under which this node still writes of it. */
import { type TurnId, uuidOf } from '../id.ts'
import { type Fragment, sql } from '../postgres/sql.ts'

export interface HeldTurn {
  id: TurnId
  node: number
  /** Of its conversation's slot; null: it belongs to no stored conversation. */
  lease: number | null
}

/** True for the row of a turn that runs there; a condition on `turns`. */
export function runsAt({ id, node, lease }: HeldTurn): Fragment {
  return sql`turns.id = ${uuidOf(id)} and turns.status = 'running' and turns.epoch = ${node}::bigint
      and turns.lease_epoch is not distinct from ${lease}::bigint`
}

/** A condition by itself. The row is locked: whoever takes the turn over waits for the commit, and sees what it wrote. */
export function isRunningAt(turn: HeldTurn): Fragment {
  return sql`exists (select from turns where ${runsAt(turn)} for share)`
}
