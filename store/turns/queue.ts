/** The queue of turns: claimed in order, one at a time for each conversation, and queued again after a crash. */

import { slotOf } from '../../runtime/nodes/slot.ts'
import { approvalsDecided } from '../approvals.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import {
  type ApiKeyId,
  type ChannelId,
  type ConversationId,
  idFrom,
  type OperatorId,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { heldSlots } from '../nodes/slots.ts'
import { databaseBatch } from '../postgres/batch.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { endedColumns, insertUnknownUsage } from '../usage/entry.ts'
import { type HeldTurn, runsAt } from './held.ts'
import { isQueued, isUnqueued, type TurnOrigin } from './origin.ts'
import { openStatuses } from './status.ts'

export interface Claim {
  conversation: ConversationId
  /** Of the conversation's slot. */
  lease: number
  /** True: one turn answers all waiting messages, up to `mergedMax`. */
  isMerged: boolean
}

export interface ClaimedTurn {
  id: TurnId
  /** Under which it runs: what is written of it under another is refused. */
  lease: number
  workspaceId: WorkspaceId
  channelId: ChannelId | null
  origin: TurnOrigin
  apiKeyId: ApiKeyId | null
  operatorId: OperatorId | null
  /** It answers the sender's messages from `seqFrom` to `seq`. */
  seqFrom: number
  seq: number
  /** 1: the first. */
  attempt: number
  requestId: string
  /** The sender, as the channel names them, and where the newest message wants answers sent. */
  externalId: string | null
  replyTo: unknown
  /** Those messages, as the API has them. */
  messages: unknown[]
  /** Turns that left the queue: this one, and those that were merged into it. */
  count: number
  /** True: an earlier attempt wrote steps. */
  hasSteps: boolean
  /** The transaction that recorded its start. */
  startedXid: string
}

export interface ClaimWriter {
  /**
   * The oldest queued turn of the conversation, now running here; null when none is queued, one runs elsewhere, or the slot is
   * no longer this node's. Only for a conversation in which nothing runs: a turn that is stored as running here is then left
   * over from a failure.
   */
  claim(claim: Claim): Promise<ClaimedTurn | null>
  close(): Promise<void>
}

/** The column holds no more. */
const attemptMax = 2_147_483_646

/** Messages that one turn answers at most. */
const mergedMax = 50

const limits = { rowsMax: 256, flushersMax: 1, waitingMax: 20_000 }

export function claimWriter(db: Database, node: number): ClaimWriter {
  const batch = databaseBatch((rows: Claim[]) => claim(db, node, rows), limits)
  return { claim: (request) => batch.add(request), close: () => batch.close() }
}

interface ClaimedRow {
  id: string
  lease: string
  workspace_id: string
  conversation_id: string
  channel_id: string | null
  origin: TurnOrigin
  api_key_id: string | null
  operator_id: string | null
  seq_from: number
  seq: number
  attempt: number
  request_id: string
  external_id: string | null
  reply_to: unknown
  messages: unknown[] | null
  count: number
  has_steps: boolean
  xid: string
}

/** Once for all statements: the claim is on the hot path. */
const turnStarted = insertEvents(sql`'turn.started'`, sql`started`, {
  payload: sql`json_build_object('attempt', attempt)`,
})

async function claim(db: Database, node: number, rows: Claim[]): Promise<(ClaimedTurn | null)[]> {
  const input = rows.map(({ conversation, lease, isMerged }) => ({
    conversation: uuidOf(conversation),
    slot: slotOf(conversation),
    lease,
    is_merged: isMerged,
  }))
  const claimed = await db.hot<ClaimedRow>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(input)}::text::json)
        as input (conversation uuid, slot smallint, lease bigint, is_merged boolean)
    ), held as materialized (${heldSlots(node)}
    ), free as materialized (
      select input.* from input join held using (slot, lease) where not exists (
        select from turns
        where conversation_id = input.conversation and ${isQueued}
          -- Nothing overtakes a paused turn.
          and (status = 'waiting' or status = 'running' and (epoch <> ${node}::bigint or lease_epoch <> input.lease)))
    ), waiting as materialized (
      select turn.*, free.lease, first_value(
          turn.replaces or exists (select from turn_steps where turn_steps.turn_id = turn.id)
        ) over (partition by conversation_id order by seq) as is_first_alone,
        row_number() over (partition by conversation_id order by seq) as place
      from free cross join lateral (
        select id, conversation_id, seq, seq_from, replaces from turns
        where conversation_id = free.conversation and status in ('queued', 'running') and ${isQueued}
        order by seq, id limit case when free.is_merged then ${mergedMax}::integer else 1 end
      ) as turn
    ), picked as materialized (
      select *, row_number() over (partition by conversation_id order by seq desc, id desc) as from_last,
        min(seq_from) over (partition by conversation_id) as first_seq, count(*) over (partition by conversation_id)::integer as count
      -- Not merged: one that replaces an answer, as its messages have one, and one with steps, which belong to it alone.
      from waiting where place = 1 or not (replaces or is_first_alone)
    ), started as (
      update turns set status = 'running', epoch = ${node}::bigint, lease_epoch = picked.lease, attempt = least(turns.attempt, ${attemptMax}) + 1, seq_from = picked.first_seq, started_at = now()
      from picked where turns.id = picked.id and picked.from_last = 1 and turns.status in ('queued', 'running')
      returning turns.id, turns.workspace_id, turns.conversation_id, turns.channel_id, turns.origin, turns.api_key_id, turns.operator_id, turns.seq_from,
        turns.seq,        turns.attempt, turns.request_id, picked.lease, picked.count
    ), merged as (
      update turns set status = 'merged' from picked where turns.id = picked.id and picked.from_last > 1 and turns.status in ('queued', 'running')
    ), event as (${turnStarted})
    select started.*, exists (select from turn_steps where turn_steps.turn_id = started.id) as has_steps,
      conversations.external_id, conversations.reply_to, pg_current_xact_id()::text as xid, (
      select json_agg(body order by seq) from messages
      where conversation_id = started.conversation_id and messages.seq between started.seq_from and started.seq
        and role = 'user' and superseded_by is null
    ) as messages
    from started join conversations on conversations.id = started.conversation_id`
  const byConversation = new Map(claimed.map((row) => [idFrom('conv', row.conversation_id), row]))
  return rows.map(({ conversation }) => {
    const row = byConversation.get(conversation)
    return row ? claimedTurn(row) : null
  })
}

function claimedTurn(row: ClaimedRow): ClaimedTurn {
  return {
    id: idFrom('turn', row.id),
    lease: Number(row.lease),
    workspaceId: idFrom('ws', row.workspace_id),
    channelId: idFrom('chan', row.channel_id),
    origin: row.origin,
    apiKeyId: idFrom('key', row.api_key_id),
    operatorId: idFrom('oper', row.operator_id),
    seqFrom: row.seq_from,
    seq: row.seq,
    attempt: row.attempt,
    requestId: row.request_id,
    externalId: row.external_id,
    replyTo: row.reply_to,
    messages: row.messages ?? [],
    count: row.count,
    hasSteps: row.has_steps,
    startedXid: row.xid,
  }
}

/** Puts a turn that runs here back into the queue, in its place. @param attempts how many attempts to take off its count */
export async function requeueTurn(db: Database, turn: HeldTurn, attempts: 0 | 1): Promise<void> {
  await db.system`update turns set status = 'queued', attempt = attempt - ${attempts} where ${runsAt(turn)}`
}

export interface RecoveredTurns {
  queued: number
  failed: number
  interrupted: number
}

/**
 * Turns that were left running by others: in slots that are this node's now under an earlier lease, and calls of their own of
 * nodes that do not live. Those of the queue are queued again, those of a caller are interrupted.
 * @param attemptsMax a turn that was attempted this often has failed: it may be what ends the process
 */
export async function recoverTurns(db: Database, node: number, attemptsMax: number): Promise<RecoveredTurns> {
  const rows = await db.system<{ status: 'queued' | 'failed' | 'interrupted'; turns: number }>`
    with held as materialized (
      select slot, lease_epoch from slots where node_epoch = ${node}::bigint order by slot for share
    ), left_over as (
      update turns set
        -- Whoever ran it is refused from now on, whatever becomes of it.
        epoch = ${node}::bigint,
        lease_epoch = (select lease_epoch from held where slot = service_slot(turns.conversation_id)),
        status = case when ${isUnqueued} then 'interrupted' when attempt < ${attemptsMax} then 'queued' else 'failed' end,
        error_code = case when ${isUnqueued} then 'interrupted' when attempt < ${attemptsMax} then null else 'attempts_exhausted' end,
        error_message = case
          when ${isUnqueued} then 'the service stopped'
          when attempt < ${attemptsMax} then null
          else 'the service ended each time while this turn ran' end,
        is_usage_unknown = case when ${isUnqueued} or attempt >= ${attemptsMax} then true end
      where status = 'running' and (
        conversation_id is null and not exists (
          select from instances where epoch = turns.epoch and stopped_at is null and lost_at is null)
        or exists (
          select from held where slot = service_slot(turns.conversation_id)
            and held.lease_epoch is distinct from turns.lease_epoch))
      returning ${endedColumns}, turns.conversation_id, turns.attempt
    ), entry as (${insertUnknownUsage(sql`left_over where status <> 'queued'`, sql`true`)}
    ), event as (${insertEvents(
      sql`'turn.' || status`,
      sql`left_over where status <> 'queued' and conversation_id is not null`,
      {
        payload: sql`case when status = 'failed' then json_build_object('code', 'attempts_exhausted', 'attempt', attempt) end`,
      },
    )})
    select status, count(*)::integer as turns from left_over group by status`
  const counts = { queued: 0, failed: 0, interrupted: 0 }
  for (const { status, turns } of rows) counts[status] = turns
  return counts
}

export interface WaitingConversation {
  conversation: ConversationId
  channelId: ChannelId | null
  turns: number
  /** Of the turn that was attempted most often. */
  attempts: number
}

/** Conversations whose turns have been queued since `before`, by their oldest turn; at most `limit`. */
export async function waitingConversations(db: Database, before: Date, limit: number): Promise<WaitingConversation[]> {
  const rows = await db.system<{
    conversation_id: string
    channel_id: string | null
    turns: number
    attempts: number
  }>`
    select conversation_id, channel_id, count(*)::integer as turns, max(attempt) as attempts from turns
    where status = 'queued' and origin <> 'call' and started_at <= ${before}
      -- Blocked behind a paused one nothing runs: whoever resumes that reports these too.
      and not exists (
        select from turns as paused
        where paused.conversation_id = turns.conversation_id and paused.status = 'waiting' and paused.origin <> 'call')
    group by conversation_id, channel_id order by min(started_at) limit ${limit}`
  return rows.map((row) => ({
    conversation: idFrom('conv', row.conversation_id),
    channelId: idFrom('chan', row.channel_id),
    turns: row.turns,
    attempts: row.attempts,
  }))
}

export interface CancelledTurn {
  wasRunning: boolean
  /** True: it was paused, and the turns that were blocked behind it may run now. */
  wasPaused: boolean
  channelId: ChannelId | null
  /** Turns of the conversation that are queued. */
  queued: number
}

/**
 * Cancels a turn that has not ended. Null: it has, or the conversation of this workspace has no such turn.
 * @param auditedAs who cancelled it, for the audit log; absent: its sender, which is not audited
 */
export function cancelTurn(
  db: Database,
  workspace: WorkspaceId,
  at: TurnPlace,
  reason: string,
  auditedAs?: AuditActor,
): Promise<CancelledTurn | null> {
  return db.transaction(workspace, async (query) => {
    const cancelled = await endTurn(query, at, reason)
    if (!cancelled) return null
    const { statusBefore, ...turn } = cancelled
    const summary = { before: { status: statusBefore }, after: { status: 'cancelled' } }
    if (auditedAs) await writeAudit(query, { actor: auditedAs, action: 'turn.cancel', target: at.turn, summary })
    return turn
  })
}

interface TurnPlace {
  conversation: ConversationId
  turn: TurnId
}

async function endTurn(
  query: Query,
  at: TurnPlace,
  reason: string,
): Promise<(CancelledTurn & { statusBefore: string }) | null> {
  const [row] = await query<{ status_before: string; channel_id: string | null; queued: number }>`
    with open as (
      select id, status from turns
      where id = ${uuidOf(at.turn)} and conversation_id = ${uuidOf(at.conversation)}
        and status in ${openStatuses} and origin <> 'call'
      for update
    ), ended as (
      update turns set status = 'cancelled', error_code = 'cancelled', error_message = ${safeText(reason)},
        is_usage_unknown = case when open.status <> 'queued' then true end
      from open where turns.id = open.id
      returning ${endedColumns}, turns.conversation_id, open.status as status_before
    ), entry as (${insertUnknownUsage(sql`ended`, sql`status_before <> 'queued'`)}
    ), event as (${insertEvents(sql`'turn.cancelled'`, sql`ended`)}
    ), withdrawn as (
      update approvals set status = 'cancelled', decided_at = now() from ended
      where approvals.turn_id = ended.id and approvals.status = 'pending'
      returning approvals.*
    ), approval_event as (${approvalsDecided(sql`withdrawn`)})
    select status_before, channel_id, (
      select count(*)::integer from turns
      where turns.conversation_id = ended.conversation_id and turns.status = 'queued' and turns.origin <> 'call'
        and turns.id <> ended.id
    ) as queued from ended`
  if (!row) return null
  return {
    statusBefore: row.status_before,
    wasRunning: row.status_before === 'running',
    wasPaused: row.status_before === 'waiting',
    channelId: idFrom('chan', row.channel_id),
    queued: row.queued,
  }
}
