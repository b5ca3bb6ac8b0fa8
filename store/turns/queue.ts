/** The queue of turns: claimed one at a time for each conversation, in order, given back after a crash. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'

/** Where a turn comes from. Of `call` its caller waits, and it is not queued. */
export type TurnOrigin = 'call' | 'channel' | 'web' | 'admin'

export interface Claim {
  conversation: ConversationId
  /** True: everything that waits is answered at once, up to `togetherMax` messages. */
  isMerged: boolean
}

export interface ClaimedTurn {
  id: TurnId
  workspaceId: WorkspaceId
  channelId: ChannelId | null
  origin: TurnOrigin
  /** The messages of the sender that it answers: those from `seqFrom` to `seq`. */
  seqFrom: number
  seq: number
  /** 1: the first try. */
  attempt: number
  requestId: string
  /** The sender, as the channel names them, and what the newest message said about where answers go. */
  externalId: string | null
  replyTo: unknown
  /** Those messages, as the API has them. */
  messages: unknown[]
  /** Turns that no longer wait: this one, and those that were merged into it. */
  count: number
  /** True: an earlier try has done something already. */
  hasSteps: boolean
  /** The transaction that recorded its start. */
  startedXid: string
}

export interface ClaimWriter {
  /**
   * The oldest turn that waits in the conversation, now running here; null when none waits, or one runs elsewhere. Only for
   * a conversation in which nothing runs: what the store says is running here then is left over from a failure.
   */
  claim(claim: Claim): Promise<ClaimedTurn | null>
  close(): Promise<void>
}

/** Messages that one turn answers at most. */
const togetherMax = 50

const limits = { rowsMax: 256, flushersMax: 1, waitingMax: 20_000 }

export function claimWriter(db: Database, epoch: number): ClaimWriter {
  const batch = databaseBatch((rows: Claim[]) => claim(db, epoch, rows), limits)
  return { claim: (wanted) => batch.add(wanted), close: () => batch.close() }
}

interface ClaimedRow {
  id: string
  workspace_id: string
  conversation_id: string
  channel_id: string | null
  origin: TurnOrigin
  seq_from: number
  seq: number
  attempt: number
  request_id: string
  external_id: string | null
  reply_to: unknown
  said: unknown[] | null
  waited: number
  is_begun: boolean
  xid: string
}

async function claim(db: Database, epoch: number, rows: Claim[]): Promise<(ClaimedTurn | null)[]> {
  const claimed = await db.hot<ClaimedRow>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(({ conversation, isMerged: isTogether }) => ({ conversation: uuidOf(conversation), together: isTogether })))}::text::json)
        as input (conversation uuid, together boolean)
    ), free as materialized (
      select * from input where not exists (
        select from turns
        where conversation_id = input.conversation and status in ('queued', 'running', 'waiting') and origin <> 'call'
          -- Nothing overtakes a turn that waits for an operator's word.
          and (status = 'waiting' or status = 'running' and epoch <> ${epoch}::bigint))
    ), waiting as materialized (
      select turn.*, first_value(
          turn.replaces or exists (select from turn_steps where turn_steps.turn_id = turn.id)
        ) over (partition by conversation_id order by seq) as first_stands_alone,
        row_number() over (partition by conversation_id order by seq) as place
      from free cross join lateral (
        select id, conversation_id, seq, seq_from, replaces from turns
        where conversation_id = free.conversation and status in ('queued', 'running', 'waiting') and status <> 'waiting' and origin <> 'call'
        order by seq, id limit case when free.together then ${togetherMax}::integer else 1 end
      ) as turn
    ), picked as materialized (
      select *, row_number() over (partition by conversation_id order by seq desc, id desc) as from_last,
        min(seq_from) over (partition by conversation_id) as first_seq, count(*) over (partition by conversation_id)::integer as waited
      -- One that answers anew stands alone: its messages have an answer already. So does one that was begun: what it did is its own.
      from waiting where place = 1 or not (replaces or first_stands_alone)
    ), started as (
      update turns set status = 'running', epoch = ${epoch}::bigint, attempt = turns.attempt + 1, seq_from = picked.first_seq, started_at = now()
      from picked where turns.id = picked.id and picked.from_last = 1 and turns.status in ('queued', 'running')
      returning turns.id, turns.workspace_id, turns.conversation_id, turns.channel_id, turns.origin, turns.seq_from, turns.seq,
        turns.attempt, turns.request_id, picked.waited
    ), merged as (
      update turns set status = 'merged' from picked where turns.id = picked.id and picked.from_last > 1 and turns.status in ('queued', 'running')
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
      select workspace_id, 'turn.started', conversation_id, channel_id, id, json_build_object('attempt', attempt) from started
    )
    select started.*, exists (select from turn_steps where turn_steps.turn_id = started.id) as is_begun, conversations.external_id, conversations.reply_to, pg_current_xact_id()::text as xid, (
      select json_agg(body order by seq) from messages
      where conversation_id = started.conversation_id and messages.seq between started.seq_from and started.seq
        and role = 'user' and superseded_by is null
    ) as said
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
    workspaceId: idFrom('ws', row.workspace_id),
    channelId: idFrom('chan', row.channel_id),
    origin: row.origin,
    seqFrom: row.seq_from,
    seq: row.seq,
    attempt: row.attempt,
    requestId: row.request_id,
    externalId: row.external_id,
    replyTo: row.reply_to,
    messages: row.said ?? [],
    count: row.waited,
    hasSteps: row.is_begun,
    startedXid: row.xid,
  }
}

/** Puts a turn back to where it waited. @param forgiven 1: the try does not count */
export async function requeueTurn(db: Database, epoch: number, turn: TurnId, forgiven: 0 | 1): Promise<void> {
  await db.system`
    update turns set status = 'queued', attempt = attempt - ${forgiven}
    where id = ${uuidOf(turn)} and status = 'running' and epoch = ${epoch}::bigint`
}

/**
 * What earlier starts of the service left running: queued turns wait again, those of a caller are closed.
 * @param endingsMax a turn that was tried this often has failed: it may be what ends the process
 */
export async function recoverTurns(
  db: Database,
  epoch: number,
  endingsMax: number,
): Promise<{ queued: number; failed: number; interrupted: number }> {
  const rows = await db.system<{ status: 'queued' | 'failed' | 'interrupted'; turns: number }>`
    with left_over as (
      update turns set
        status = case when origin = 'call' then 'interrupted' when attempt < ${endingsMax} then 'queued' else 'failed' end,
        error_code = case when origin = 'call' then 'interrupted' when attempt < ${endingsMax} then null else 'attempts_exhausted' end,
        error_message = case
          when origin = 'call' then 'the service stopped'
          when attempt < ${endingsMax} then null
          else 'the service ended each time while this turn ran' end
      where status = 'running' and epoch < ${epoch}
      returning id, workspace_id, conversation_id, channel_id, status, attempt, origin
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
      select workspace_id, 'turn.' || status, conversation_id, channel_id, id,
        case when status = 'failed' then json_build_object('code', 'attempts_exhausted', 'attempt', attempt) end
      from left_over where status <> 'queued' and conversation_id is not null
    )
    select status, count(*)::integer as turns from left_over group by status`
  const counts = { queued: 0, failed: 0, interrupted: 0 }
  for (const { status, turns } of rows) counts[status] = turns
  return counts
}

export interface WaitingConversation {
  conversation: ConversationId
  channelId: ChannelId | null
  turns: number
  /** How often the one was begun that was begun most often. */
  attempts: number
}

/** Conversations in which turns have waited since `before`, by their oldest turn; at most `limit`. */
export async function waitingConversations(db: Database, before: Date, limit: number): Promise<WaitingConversation[]> {
  const rows = await db.system<{
    conversation_id: string
    channel_id: string | null
    turns: number
    attempts: number
  }>`
    select conversation_id, channel_id, count(*)::integer as turns, max(attempt) as attempts from turns
    where status in ('queued', 'running', 'waiting') and status = 'queued' and origin <> 'call' and started_at <= ${before}
      -- Behind one that was put aside nothing runs: whoever takes that up again tells of these too.
      and not exists (
        select from turns as aside where aside.conversation_id = turns.conversation_id and aside.status in ('queued', 'running', 'waiting')
          and aside.status = 'waiting' and aside.origin <> 'call')
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
  /** True: it was put aside, and what was said after it waited for it and may run now. */
  wasPaused: boolean
  channelId: ChannelId | null
  /** Turns of the conversation that wait in the queue. */
  queued: number
}

/**
 * Ends a turn that waits or runs. Null: it had ended, or the conversation of this workspace has no such turn.
 * @param auditedAs whose deed the audit log calls it; absent: its sender's, which is not written down
 */
export function cancelTurn(
  db: Database,
  workspace: WorkspaceId,
  at: TurnPlace,
  reason: string,
  auditedAs?: AuditActor,
): Promise<CancelledTurn | null> {
  return db.transaction(workspace, async (query) => {
    const ended = await endTurn(query, at, reason)
    if (!ended) return null
    const { was, ...cancelled } = ended
    const shown = { before: { status: was }, after: { status: 'cancelled' } }
    if (auditedAs) await writeAudit(query, { actor: auditedAs, action: 'turn.cancel', target: at.turn, summary: shown })
    return cancelled
  })
}

interface TurnPlace {
  conversation: ConversationId
  turn: TurnId
}

async function endTurn(query: Query, at: TurnPlace, reason: string): Promise<(CancelledTurn & { was: string }) | null> {
  const [row] = await query<{ was: string; channel_id: string | null; queued: number }>`
    with known as (
      select id, status from turns
      where id = ${uuidOf(at.turn)} and conversation_id = ${uuidOf(at.conversation)}
        and status in ('queued', 'running', 'waiting') and origin <> 'call'
      for update
    ), ended as (
      update turns set status = 'cancelled', error_code = 'cancelled', error_message = ${safeText(reason)}
      from known where turns.id = known.id
      returning turns.id, turns.workspace_id, turns.conversation_id, turns.channel_id, known.status as was
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'turn.cancelled', conversation_id, channel_id, id from ended
    ), unasked as (
      update approvals set status = 'cancelled', decided_at = now() from ended where approvals.turn_id = ended.id and approvals.status = 'pending'
      returning approvals.id, approvals.workspace_id, approvals.conversation_id, ended.channel_id, approvals.turn_id, approvals.tool
    ), withdrawn as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
      select workspace_id, 'approval.decided', conversation_id, channel_id, id,
        json_build_object('approval_id', 'appr_' || replace(id::text, '-', ''), 'turn_id', 'turn_' || replace(turn_id::text, '-', ''),
          'tool', tool, 'status', 'cancelled') from unasked
    )
    select was, channel_id, (
      select count(*)::integer from turns
      where turns.conversation_id = ended.conversation_id and turns.status in ('queued', 'running', 'waiting') and turns.status = 'queued'
        and turns.origin <> 'call' and turns.id <> ended.id
    ) as queued from ended`
  if (!row) return null
  const { was, channel_id: channel, queued } = row
  const channelId = idFrom('chan', channel)
  return { was, wasRunning: was === 'running', wasPaused: was === 'waiting', channelId, queued }
}
