/** What waits for a person in a workspace, by kind: how much, since when, and the first of it. */
import { type Approval, approvalColumns, approvalOf, argumentBytes } from '../approvals.ts'
import type { Database } from '../database.ts'
import { type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { fitting } from '../postgres/fitting.ts'
import { sql } from '../postgres/sql.ts'

export interface WaitingCount {
  /** Counted up to `countMax`. */
  count: number
  /** Since when the first of it waits. */
  oldestAt: Date | null
}

/** More are not counted. */
export const countMax = 1_000

export async function countPendingApprovals(db: Database, workspace: WorkspaceId): Promise<WaitingCount> {
  const [row] = await db.forWorkspace(workspace)<WaitingCount>`
    select count(*)::integer as count, min(requested_at) as "oldestAt" from (
      select requested_at from approvals
      where workspace_id = ${uuidOf(workspace)} and status = 'pending' and expires_at > now()
      order by expires_at limit ${countMax}) as pending`
  return row ?? { count: 0, oldestAt: null }
}

/** Those that expire first come first; as many as fit. */
export async function pendingApprovals(db: Database, workspace: WorkspaceId, limit: number): Promise<Approval[]> {
  const order = sql`expires_at, id`
  const pending = sql`
    select *, ${argumentBytes} from approvals
    where workspace_id = ${uuidOf(workspace)} and status = 'pending' and expires_at > now() order by ${order} limit ${limit}`
  const rows = await db.forWorkspace(workspace)<RowOf<Approval>>`
    select ${approvalColumns} from ${fitting(pending, order)} as fitting order by ${order}`
  return rows.map(approvalOf)
}

export async function countUnknownEffects(db: Database, workspace: WorkspaceId): Promise<WaitingCount> {
  const [row] = await db.forWorkspace(workspace)<WaitingCount>`
    select count(*)::integer as count, min(started_at) as "oldestAt" from (
      select started_at from turn_steps where workspace_id = ${uuidOf(workspace)} and status = 'unknown'
      order by started_at limit ${countMax}) as waiting`
  return row ?? { count: 0, oldestAt: null }
}
