/** Tool calls that wait for an operator's decision: an approval is bound to the stored arguments, and counts once. */
import { z } from 'zod'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { insertEvents } from './events/insert.ts'
import { ApprovalId, type ConversationId, idFrom, type RowOf, TurnId, uuidOf, type WorkspaceId } from './id.ts'
import { type HeldKey, isHeld } from './nodes/slots.ts'
import { fitting, type OfPage, pageOf } from './postgres/fitting.ts'
import type { Query } from './postgres/query.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'
import { type Fragment, sql } from './postgres/sql.ts'
import { type HeldTurn, isRunningAt } from './turns/held.ts'
import { openStatuses } from './turns/status.ts'
import { type StepPlace, TurnMoved } from './turns/steps.ts'

export const ApprovalStatus = z.enum(['pending', 'approved', 'refused', 'expired', 'cancelled'])
export type ApprovalStatus = z.infer<typeof ApprovalStatus>

/** Fields of the event `approval.requested`. */
export const ApprovalRequested = z.object({
  approval_id: ApprovalId,
  turn_id: TurnId,
  tool: z.string(),
  agent: z.string(),
  expires_at: z.iso.datetime(),
})

/** Fields of the event `approval.decided`: by an operator, by time, or by the end of its turn. */
export const ApprovalDecided = z.object({
  approval_id: ApprovalId,
  turn_id: TurnId,
  tool: z.string(),
  status: ApprovalStatus.exclude(['pending']),
})

export interface Approval extends StepPlace {
  id: ApprovalId
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  agent: string
  tool: string
  arguments: unknown
  digest: string
  status: ApprovalStatus
  requestedAt: Date
  expiresAt: Date
  decidedAt: Date | null
  decidedBy: string | null
  reason: string | null
}

type NewApproval = Omit<Approval, 'status' | 'requestedAt' | 'decidedAt' | 'decidedBy' | 'reason'>

export const approvalColumns = sql`id, workspace_id as "workspaceId", turn_id as "turnId", path, n, conversation_id as "conversationId", agent,
  tool, arguments, replace(digest::text, '-', '') as digest, status, requested_at as "requestedAt",
  expires_at as "expiresAt", decided_at as "decidedAt", decided_by as "decidedBy", reason`

/** For `fitting`: a model writes them. */
export const argumentBytes = sql`octet_length(arguments::text) as page_bytes`

const turnHasEnded = sql`exists (
  select from turns where turns.id = approvals.turn_id and turns.status not in ${openStatuses})`

const idsOfEvent = sql`'approval_id', 'appr_' || replace(approval.id::text, '-', ''),
  'turn_id', 'turn_' || replace(approval.turn_id::text, '-', '')`

/** Inserts the event `approval.decided` for each row of `approvals` in `decided`, a table of the statement. */
export function approvalsDecided(decided: Fragment): Fragment {
  return insertEvents(sql`'approval.decided'`, sql`${decided} as approval`, {
    channelId: sql`(select channel_id from turns where turns.id = approval.turn_id)`,
    payload: sql`json_build_object(${idsOfEvent}, 'tool', tool, 'status', status)`,
  })
}

const approvalRequested = insertEvents(
  sql`'approval.requested'`,
  sql`requested as approval left join turns on turns.id = approval.turn_id`,
  {
    workspaceId: sql`approval.workspace_id`,
    conversationId: sql`approval.conversation_id`,
    channelId: sql`turns.channel_id`,
    subject: sql`approval.id`,
    payload: sql`json_build_object(${idsOfEvent}, 'tool', tool, 'agent', approval.agent,
      'expires_at', to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
  },
)

/**
 * Asks operators for one. A repeated turn that asks for it again gets the same one.
 * @param place where its turn runs
 * @throws TurnMoved, and nothing was written
 */
export async function requestApproval(
  db: Database,
  place: Omit<HeldTurn, 'id'>,
  request: NewApproval,
): Promise<Approval> {
  const turn = { ...place, id: request.turnId }
  return await db.transaction(request.workspaceId, async (query) => {
    await insertApproval(query, turn, request)
    const [row] = await query<RowOf<Approval>>`
      select ${approvalColumns} from approvals
      where turn_id = ${uuidOf(turn.id)} and path = ${request.path} and n = ${request.n}`
    if (!row) throw new Error('an approval that was requested cannot be found')
    return approvalOf(row)
  })
}

async function insertApproval(query: Query, turn: HeldTurn, request: NewApproval): Promise<void> {
  const [here] = await query`
    with here as materialized (
      -- The row of a call of its own may come later than this.
      select 1 as turn where ${isRunningAt(turn)} or not exists (select from turns where id = ${uuidOf(turn.id)})
    ), requested as (
      insert into approvals (id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, expires_at)
      select ${uuidOf(request.id)}::uuid, ${uuidOf(request.workspaceId)}::uuid, ${uuidOf(turn.id)}::uuid, ${request.path}::text, ${request.n}::integer,
        ${request.conversationId && uuidOf(request.conversationId)}::uuid, ${safeText(request.agent)}::text, ${safeText(request.tool)}::text,
        ${safeJson(request.arguments)}::text::json, ${request.digest}::uuid, ${request.expiresAt}::timestamptz
      from here
      on conflict (turn_id, path, n) do nothing
      returning id, workspace_id, conversation_id, turn_id, tool, agent, expires_at
    ), event as (${approvalRequested})
    select turn from here`
  if (!here) throw new TurnMoved()
}

/** @returns null: it does not exist, was decided, has expired, or its turn has ended and nobody would make the call */
export async function decideApproval(
  db: Database,
  actor: AuditActor,
  decision: { id: ApprovalId; isApproved: boolean; reason: string | null },
): Promise<Approval | null> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const status = decision.isApproved ? 'approved' : 'refused'
    const [row] = await query<RowOf<Approval>>`
      with decided as (
        update approvals set status = ${status}, decided_at = now(), decided_by = ${safeText(actor.name)},
          reason = ${decision.reason === null ? null : safeText(decision.reason)}
        where id = ${uuidOf(decision.id)} and status = 'pending' and expires_at > now() and not ${turnHasEnded}
        returning *
      ), event as (${approvalsDecided(sql`decided`)})
      select ${approvalColumns} from decided`
    if (!row) return null
    const approval = approvalOf(row)
    await writeAudit(query, {
      actor,
      action: decision.isApproved ? 'approval.approve' : 'approval.refuse',
      target: decision.id,
      before: { status: 'pending' },
      after: { status, reason: decision.reason, tool: approval.tool, digest: approval.digest },
      summary: { before: { status: 'pending' }, after: { status, tool: approval.tool } },
    })
    return approval
  })
}

/** Refuses those that have expired, and cancels those whose turn has ended. @returns what was decided so */
export async function expireApprovals(db: Database, held: HeldKey, now: Date, limit: number): Promise<Approval[]> {
  const rows = await db.system<RowOf<Approval>>`
    with old as (
      select id, expires_at <= ${now} as is_expired from approvals
      where ${isHeld(held)} and status = 'pending' and (expires_at <= ${now} or ${turnHasEnded})
      order by expires_at limit ${limit} for update skip locked
    ), decided as (
      update approvals set status = case when old.is_expired then 'expired' else 'cancelled' end, decided_at = ${now}
      from old where approvals.id = old.id returning approvals.*
    ), event as (${approvalsDecided(sql`decided`)})
    select ${approvalColumns} from decided`
  return rows.map(approvalOf)
}

/** Those of the ids that are no longer pending, whoever decided them. */
export async function decidedApprovals(db: Database, ids: readonly ApprovalId[]): Promise<Approval[]> {
  const rows = await db.system<RowOf<Approval>>`
    select ${approvalColumns} from approvals where id = any(${ids.map(uuidOf)}::uuid[]) and status <> 'pending'`
  return rows.map(approvalOf)
}

export async function readApproval(db: Database, workspace: WorkspaceId, id: ApprovalId): Promise<Approval | null> {
  const [row] = await db.forWorkspace(workspace)<RowOf<Approval>>`
    select ${approvalColumns} from approvals where id = ${uuidOf(id)}`
  return row ? approvalOf(row) : null
}

const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. `before` is exclusive. */
export async function listApprovals(
  db: Database,
  workspace: WorkspaceId,
  filter: { status: ApprovalStatus | null; turnId: TurnId | null },
  page: { before: ApprovalId | null; limit: number },
): Promise<{ approvals: Approval[]; isMore: boolean }> {
  const found = sql`
    select *, ${argumentBytes} from approvals
    where workspace_id = ${uuidOf(workspace)} and id < ${page.before ? uuidOf(page.before) : newest}::uuid
      and (${filter.status}::text is null or status = ${filter.status}::text)
      and (${filter.turnId && uuidOf(filter.turnId)}::uuid is null or turn_id = ${filter.turnId && uuidOf(filter.turnId)}::uuid)
    order by id desc limit ${page.limit + 1}`
  const order = sql`id desc`
  const read = await db.forWorkspace(workspace)<RowOf<Approval> & OfPage>`
    select ${approvalColumns}, page_rows from ${fitting(found, order)} as fitting order by ${order}`
  const { rows, isMore } = pageOf(read, page.limit)
  return { approvals: rows.map(approvalOf), isMore }
}

export function approvalOf({ page_rows: _, ...row }: RowOf<Approval> & Partial<OfPage>): Approval {
  return {
    ...row,
    id: idFrom('appr', row.id),
    workspaceId: idFrom('ws', row.workspaceId),
    turnId: idFrom('turn', row.turnId),
    conversationId: idFrom('conv', row.conversationId),
  }
}
