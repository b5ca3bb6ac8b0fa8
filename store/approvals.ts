/** Tool calls that wait for an operator's word: what is approved is bound to the stored arguments, and counts once. */
import { z } from 'zod'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { ApprovalId, type ConversationId, idFrom, TurnId, uuidOf, type WorkspaceId } from './id.ts'
import type { Query } from './postgres/query.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'
import type { StepPlace } from './turns/steps.ts'

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

interface ApprovalRow {
  id: string
  workspace_id: string
  turn_id: string
  path: string
  n: number
  conversation_id: string | null
  agent: string
  tool: string
  arguments: unknown
  digest: string
  status: ApprovalStatus
  requested_at: Date
  expires_at: Date
  decided_at: Date | null
  decided_by: string | null
  reason: string | null
}

type NewApproval = Pick<
  Approval,
  | 'id'
  | 'workspaceId'
  | 'turnId'
  | 'path'
  | 'n'
  | 'conversationId'
  | 'agent'
  | 'tool'
  | 'arguments'
  | 'digest'
  | 'expiresAt'
>

/** Asks for one, and tells operators by an event. Asked for again by a turn that was begun again, it is the same one. */
export async function requestApproval(db: Database, wanted: NewApproval): Promise<Approval> {
  return await db.transaction(wanted.workspaceId, async (query) => {
    await ask(query, wanted)
    const [row] = await query<ApprovalRow>`
      select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
        expires_at, decided_at, decided_by, reason
      from approvals where turn_id = ${uuidOf(wanted.turnId)} and path = ${wanted.path} and n = ${wanted.n}`
    if (!row) throw new Error('an approval that was asked for cannot be found')
    return approvalOf(row)
  })
}

async function ask(query: Query, wanted: NewApproval): Promise<void> {
  await query`
    with asked as (
      insert into approvals (id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, expires_at)
      values (${uuidOf(wanted.id)}, ${uuidOf(wanted.workspaceId)}, ${uuidOf(wanted.turnId)}, ${wanted.path}, ${wanted.n},
        ${wanted.conversationId && uuidOf(wanted.conversationId)}, ${safeText(wanted.agent)}, ${safeText(wanted.tool)},
        ${safeJson(wanted.arguments)}::text::json, ${wanted.digest}::uuid, ${wanted.expiresAt})
      on conflict (turn_id, path, n) do nothing
      returning id, workspace_id, conversation_id, turn_id, tool, agent, expires_at
    )
    insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
    select asked.workspace_id, 'approval.requested', asked.conversation_id, turns.channel_id, asked.id,
      json_build_object('approval_id', 'appr_' || replace(asked.id::text, '-', ''), 'turn_id', 'turn_' || replace(asked.turn_id::text, '-', ''),
        'tool', tool, 'agent', asked.agent, 'expires_at', to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from asked left join turns on turns.id = asked.turn_id`
}

/** @returns null: it is not there, was decided or has expired, or its turn has ended: nobody would make the call */
export async function decideApproval(
  db: Database,
  actor: AuditActor,
  decision: { id: ApprovalId; isApproved: boolean; reason: string | null },
): Promise<Approval | null> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const status = decision.isApproved ? 'approved' : 'refused'
    const [row] = await query<ApprovalRow>`
      with decided as (
        update approvals set status = ${status}, decided_at = now(), decided_by = ${safeText(actor.name)},
          reason = ${decision.reason === null ? null : safeText(decision.reason)}
        where id = ${uuidOf(decision.id)} and status = 'pending' and expires_at > now() and not exists (
          select from turns where turns.id = approvals.turn_id and turns.status not in ('queued', 'running', 'waiting'))
        returning *
      ), event as (
        insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
        select workspace_id, 'approval.decided', conversation_id, (select channel_id from turns where turns.id = decided.turn_id), id,
          json_build_object('approval_id', 'appr_' || replace(id::text, '-', ''), 'turn_id', 'turn_' || replace(turn_id::text, '-', ''),
            'tool', tool, 'status', status) from decided
      )
      select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
        expires_at, decided_at, decided_by, reason from decided`
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

/** Those whose time is over count as refused, and those of turns that have ended as cancelled. @returns what was decided so */
export async function expireApprovals(db: Database, now: Date, limit: number): Promise<Approval[]> {
  const rows = await db.system<ApprovalRow>`
    with old as (
      select id, expires_at <= ${now} as is_expired from approvals
      where status = 'pending' and (expires_at <= ${now} or exists (
        select from turns where turns.id = approvals.turn_id and turns.status not in ('queued', 'running', 'waiting')))
      order by expires_at limit ${limit} for update skip locked
    ), decided as (
      update approvals set status = case when old.is_expired then 'expired' else 'cancelled' end, decided_at = ${now}
      from old where approvals.id = old.id returning approvals.*
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
      select workspace_id, 'approval.decided', conversation_id, (select channel_id from turns where turns.id = decided.turn_id), id,
        json_build_object('approval_id', 'appr_' || replace(id::text, '-', ''), 'turn_id', 'turn_' || replace(turn_id::text, '-', ''),
          'tool', tool, 'status', status) from decided
    )
    select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
      expires_at, decided_at, decided_by, reason from decided`
  return rows.map(approvalOf)
}

/** Those of these that wait no more, whoever decided them. */
export async function decidedApprovals(db: Database, ids: readonly ApprovalId[]): Promise<Approval[]> {
  const rows = await db.system<ApprovalRow>`
    select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
      expires_at, decided_at, decided_by, reason
    from approvals where id = any(${ids.map(uuidOf)}::uuid[]) and status <> 'pending'`
  return rows.map(approvalOf)
}

/** One by its id. */
export async function readApproval(db: Database, workspace: WorkspaceId, id: ApprovalId): Promise<Approval | null> {
  const [row] = await db.forWorkspace(workspace)<ApprovalRow>`
    select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
      expires_at, decided_at, decided_by, reason from approvals where id = ${uuidOf(id)}`
  return row ? approvalOf(row) : null
}

const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. `before` is exclusive. */
export async function listApprovals(
  db: Database,
  workspace: WorkspaceId,
  filter: { status: ApprovalStatus | null; turnId: TurnId | null },
  page: { before: ApprovalId | null; limit: number },
): Promise<Approval[]> {
  const rows = await db.forWorkspace(workspace)<ApprovalRow>`
    select id, workspace_id, turn_id, path, n, conversation_id, agent, tool, arguments, digest, status, requested_at,
      expires_at, decided_at, decided_by, reason
    from approvals
    where workspace_id = ${uuidOf(workspace)} and id < ${page.before ? uuidOf(page.before) : newest}::uuid
      and (${filter.status}::text is null or status = ${filter.status}::text)
      and (${filter.turnId && uuidOf(filter.turnId)}::uuid is null or turn_id = ${filter.turnId && uuidOf(filter.turnId)}::uuid)
    order by id desc limit ${page.limit}`
  return rows.map(approvalOf)
}

function approvalOf(row: ApprovalRow): Approval {
  return {
    id: idFrom('appr', row.id),
    workspaceId: idFrom('ws', row.workspace_id),
    turnId: idFrom('turn', row.turn_id),
    path: row.path,
    n: row.n,
    conversationId: idFrom('conv', row.conversation_id),
    agent: row.agent,
    tool: row.tool,
    arguments: row.arguments,
    digest: row.digest.replaceAll('-', ''),
    status: row.status,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    reason: row.reason,
  }
}
