/** Stored conversations: what was said, in order, each turn's messages committed with the turn's own row. */

import type { Database } from '../database.ts'
import {
  type ConversationId,
  type DeliveryId,
  idFrom,
  type MessageId,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import type { TurnOrigin } from '../turns/queue.ts'
import type { TurnEnd, TurnStart } from '../turns/turns.ts'

export interface NewMessage {
  id: MessageId
  role: string
  /** The message as the API has it: role, content, tool calls, all of it. */
  body: unknown
}

export interface Acceptance {
  conversation: ConversationId
  workspaceId: WorkspaceId
  /** True: make the conversation. */
  isNew: boolean
  messages: NewMessage[]
  turn: TurnStart
  /** call: the turn runs from now on. Others wait in the queue. */
  origin: TurnOrigin
}

export interface TurnAnswer {
  conversation: ConversationId
  workspaceId: WorkspaceId
  turn: TurnId
  end: TurnEnd
  /** Who answered. Absent: who was named when the turn was begun. */
  agent?: string | undefined
  /** Null: the turn gave no answer. */
  message: NewMessage | null
  /** The outbox row that is committed with the message; null: nobody has it delivered. */
  delivery: { id: DeliveryId; expiresAt: Date } | null
}

/** The place of the answer, null where there was none. fenced: the turn no longer runs here, and nothing of it was written. */
export type AnswerOutcome = { seq: number | null } | 'fenced'

/** The transaction that recorded the turn's start, the place of the last message. unknown: the workspace has no such conversation. */
export type AcceptOutcome = { startedXid: string; seq: number } | 'unknown'

export interface ConversationWriter {
  /** Appends messages and records the turn as running, together. Unknown: no such conversation in this workspace. */
  accept(acceptance: Acceptance): Promise<AcceptOutcome>
  /** Appends the answer and records the turn's end, together. */
  answer(answer: TurnAnswer): Promise<AnswerOutcome>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 1, waitingMax: 10_000 }

/** Of one conversation at most one answer may be under way: its actor sees to that. */
export function conversationWriter(db: Database, epoch: number): ConversationWriter {
  const acceptances = databaseBatch((rows: Acceptance[]) => acceptInRounds(db, epoch, rows), limits)
  const answers = databaseBatch((rows: TurnAnswer[]) => answer(db, epoch, rows), limits)
  return {
    accept: (acceptance) => acceptances.add(acceptance),
    answer: (given) => answers.add(given),
    async close() {
      await acceptances.close()
      await answers.close()
    },
  }
}

/** A statement changes a row once: of several acceptances for one conversation each has a statement of its own. */
async function acceptInRounds(db: Database, epoch: number, rows: Acceptance[]): Promise<AcceptOutcome[]> {
  const seen = new Map<ConversationId, number>()
  const rounds: { row: Acceptance; n: number }[][] = []
  for (const [n, row] of rows.entries()) {
    const round = seen.get(row.conversation) ?? 0
    seen.set(row.conversation, round + 1)
    rounds[round] ??= []
    rounds[round].push({ row, n })
  }
  const results: AcceptOutcome[] = []
  for (const round of rounds) {
    const accepted = await accept(
      db,
      epoch,
      round.map(({ row }) => row),
    )
    for (const [at, { n }] of round.entries()) results[n] = accepted[at] ?? 'unknown'
  }
  return results
}

async function accept(db: Database, epoch: number, rows: Acceptance[]): Promise<AcceptOutcome[]> {
  const known = await db.hot<{ id: string; seq: number; xid: string }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(acceptanceColumns))}::text::json) as input (
        n integer, conversation uuid, workspace uuid, is_new boolean, added integer, turn uuid, api_key uuid, request text,
        model text, is_stream boolean, started_at timestamptz, origin text, agent text, messages json)
    ), made as (
      insert into conversations (id, workspace_id, last_seq) select conversation, workspace, added from input where is_new
      on conflict (id) do nothing returning id, channel_id, last_seq
    ), locked as materialized (
      select conversations.id from input join conversations on conversations.id = input.conversation
      where not input.is_new and conversations.workspace_id = input.workspace
      order by conversations.channel_id, conversations.external_id, conversations.id for update of conversations
    ), continued as (
      update conversations set last_seq = last_seq + input.added, updated_at = now()
      from locked join input on input.conversation = locked.id where conversations.id = locked.id
      returning conversations.id, conversations.channel_id, conversations.last_seq
    ), known as materialized (
      select input.*, thread.channel_id as channel, thread.last_seq - input.added as before
      from input join (select * from made union all select * from continued) as thread on thread.id = input.conversation
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, request_id, model, is_stream, started_at, epoch,
        origin, agent, status, seq_from, seq)
      select turn, workspace, conversation, channel, api_key, request, model, is_stream, started_at, ${epoch}::bigint,
        origin, agent, case origin when 'call' then 'running' else 'queued' end,
        case when origin <> 'call' then before + 1 end, case when origin <> 'call' then before + added end
      from known
      on conflict (id) do nothing
    ), said as materialized (
      select known.*, said.ordinal, said.id, said.role, said.body from known cross join lateral json_to_recordset(known.messages)
        as said (ordinal integer, id uuid, role text, body text)
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select conversation, before + ordinal, id, workspace, turn, role, body::jsonb from said
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace, kind, conversation, channel, subject from (
        select n, ordinal, workspace, 'message.created' as kind, conversation, channel, id as subject from said
        union all select n, added + 1, workspace, 'turn.started', conversation, channel, turn from known where origin = 'call'
      ) as told order by n, ordinal
    )
    select conversation as id, before + added as seq, pg_current_xact_id()::text as xid from known`
  const accepted = new Map(known.map(({ id, seq, xid }) => [idFrom('conv', id), { startedXid: xid, seq }]))
  return rows.map((row) => accepted.get(row.conversation) ?? 'unknown')
}

function acceptanceColumns(
  { conversation, workspaceId, isNew, messages, turn, origin }: Acceptance,
  n: number,
): object {
  return {
    n,
    conversation: uuidOf(conversation),
    workspace: uuidOf(workspaceId),
    is_new: isNew,
    added: messages.length,
    turn: uuidOf(turn.id),
    api_key: turn.apiKeyId && uuidOf(turn.apiKeyId),
    request: safeText(turn.requestId),
    model: safeText(turn.model),
    is_stream: turn.isStream,
    started_at: turn.startedAt,
    origin,
    ...(turn.agent && { agent: safeText(turn.agent) }),
    messages: messages.map(({ id, role, body }, index) => ({
      ordinal: index + 1,
      id: uuidOf(id),
      role: safeText(role),
      body: safeJson(body),
    })),
  }
}

/** Only a turn that still runs here takes its answer: one that was cancelled, or went to another process, is fenced off. */
async function answer(db: Database, epoch: number, rows: TurnAnswer[]): Promise<AnswerOutcome[]> {
  const recorded = await db.hot<{ n: number; seq: number | null }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(answerColumns))}::text::json) as input (
        n integer, conversation uuid, workspace uuid, turn uuid, message uuid, role text, body text, delivery uuid, expires_at timestamptz,
        status text, model text, prompt_tokens integer, completion_tokens integer, is_usage_estimated boolean, finish_reason text,
        error_code text, error_message text, time_to_first_token_ms real, duration_ms real, agent text)
    ), fenced as materialized (
      select input.*, turns.channel_id as channel, turns.seq as turn_seq, turns.replaces from input join turns on turns.id = input.turn
      where turns.status = 'running' and turns.epoch = ${epoch}::bigint order by turns.id for update of turns
    ), locked as materialized (
      select conversations.id from fenced join conversations on conversations.id = fenced.conversation
      where conversations.workspace_id = fenced.workspace and fenced.message is not null
      order by conversations.channel_id, conversations.external_id, conversations.id for update of conversations
    ), continued as (
      update conversations set last_seq = last_seq + 1, updated_at = now() from locked where conversations.id = locked.id
      returning conversations.id, conversations.last_seq
    ), placed as materialized (
      select fenced.*, continued.last_seq as seq from fenced join continued on continued.id = fenced.conversation
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body, turn_seq)
      select conversation, seq, message, workspace, turn, role, body::jsonb, turn_seq from placed
    ), superseded as (
      update messages set superseded_by = placed.message from placed
      where placed.replaces and messages.conversation_id = placed.conversation and messages.role in ('assistant', 'tool')
        and coalesce(messages.turn_seq, messages.seq) >= placed.turn_seq and messages.superseded_by is null
        -- What the turn said before its answer belongs to it.
        and messages.turn_id <> placed.turn
    ), delivery as (
      insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, expires_at)
      select delivery, workspace, channel, conversation, turn, message, seq, expires_at from placed
      where delivery is not null and channel is not null
      returning id, message_id
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
      select workspace, kind, conversation, channel, subject, payload from (
        select n, 1 as step, workspace, 'message.created' as kind, conversation, channel, message as subject, null::json as payload from placed
        union all
        select n, 2, workspace, 'turn.' || status, conversation, channel, turn,
          case when error_code is not null then json_build_object('code', error_code, 'message', error_message) end from fenced
        union all
        select n, 3, workspace, 'delivery.pending', conversation, channel, delivery, null from placed where delivery is not null and channel is not null
      ) as told order by n, step
    ), ended as (
      update turns set
        status = input.status, model = input.model, prompt_tokens = input.prompt_tokens, completion_tokens = input.completion_tokens,
        is_usage_estimated = input.is_usage_estimated, finish_reason = input.finish_reason, error_code = input.error_code,
        error_message = input.error_message, time_to_first_token_ms = input.time_to_first_token_ms, duration_ms = input.duration_ms,
        agent = coalesce(input.agent, turns.agent)
      from fenced as input where turns.id = input.turn
    )
    select fenced.n, placed.seq from fenced left join placed on placed.n = fenced.n`
  const fates = new Map(recorded.map(({ n, seq }) => [n, { seq }]))
  return rows.map((_, n) => fates.get(n) ?? 'fenced')
}

function answerColumns(
  { conversation, workspaceId, turn, end, message, delivery, agent }: TurnAnswer,
  n: number,
): object {
  return {
    n,
    conversation: uuidOf(conversation),
    workspace: uuidOf(workspaceId),
    turn: uuidOf(turn),
    ...(message && { message: uuidOf(message.id), role: safeText(message.role), body: safeJson(message.body) }),
    ...(delivery && { delivery: uuidOf(delivery.id), expires_at: delivery.expiresAt }),
    ...(agent !== undefined && { agent: safeText(agent) }),
    status: end.status,
    model: safeText(end.model),
    prompt_tokens: end.promptTokens,
    completion_tokens: end.completionTokens,
    is_usage_estimated: end.isUsageEstimated,
    finish_reason: end.finishReason && safeText(end.finishReason),
    error_code: end.errorCode && safeText(end.errorCode),
    error_message: end.errorMessage && safeText(end.errorMessage).slice(0, 2_000),
    time_to_first_token_ms: end.timeToFirstTokenMs,
    duration_ms: end.durationMs,
  }
}
