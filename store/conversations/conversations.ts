/** Writes to stored conversations: messages in order, committed together with the row of their turn. */

import { setImmediate } from 'node:timers/promises'
import { slotOf } from '../../runtime/nodes/slot.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import {
  type ConversationId,
  type DeliveryId,
  type MessageId,
  type ResponseId,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { heldSlots } from '../nodes/slots.ts'
import type { OwnerId } from '../owner-id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { isQueued, isUnqueued, type TurnOrigin } from '../turns/origin.ts'
import { entriesOf, type TurnEnd, type TurnStart } from '../turns/turns.ts'
import { entryRows, insertUsage, storedCount, sumsOf } from '../usage/entry.ts'

export interface NewMessage {
  id: MessageId
  role: string
  /** The whole message in the form of the API: role, content, tool calls. */
  body: unknown
}

export interface Acceptance {
  conversation: ConversationId
  /** Of the conversation's slot, for a turn that runs from now on; null: one that is queued, which any node stores. */
  lease: number | null
  workspaceId: WorkspaceId
  /** True: creates the conversation. */
  isNew: boolean
  /** Of a new one. */
  owner: OwnerId
  messages: NewMessage[]
  turn: TurnStart
  /** call, responses: the turn runs from now on. Turns of other origins are queued. */
  origin: TurnOrigin
  /** Accepted only where this is the place of the last message; absent: wherever it is. */
  afterSeq?: number | undefined
  /** What is kept of a response beside its turn. */
  response?: NewResponse | undefined
}

export interface NewResponse {
  previous: ResponseId | null
  createdAt: Date
  /** The fields that the response repeats. */
  request: object
}

export interface TurnAnswer {
  conversation: ConversationId
  /** Under which the turn runs. */
  lease: number
  workspaceId: WorkspaceId
  turn: TurnId
  end: TurnEnd
  /** Who answered. Absent: as named at the start of the turn. */
  agent?: string | undefined
  /** Of a response: what is known of its answer beside the message. */
  result?: object | undefined
  /** Null: the turn gave no answer. */
  message: NewMessage | null
  /** The outbox row that is committed with the message; null: it is not delivered to a channel. */
  delivery: { id: DeliveryId; expiresAt: Date } | null
}

/** The place of the answer, null where there was none. fenced: the turn no longer runs here, and nothing was written. */
export type AnswerOutcome = { seq: number | null } | 'fenced'

/**
 * The transaction that recorded the turn's start, the place of the last message. unknown: the workspace has no such conversation.
 * moved: its slot is another node's by now, and nothing was stored.
 */
export type AcceptOutcome = { startedXid: string; seq: number } | 'unknown' | 'moved'

export interface ConversationWriter {
  /** Appends messages and records the turn, together. Unknown: no such conversation in this workspace. */
  accept(acceptance: Acceptance): Promise<AcceptOutcome>
  /** Appends the answer and records the turn's end, together. */
  answer(answer: TurnAnswer): Promise<AnswerOutcome>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 1, waitingMax: 10_000 }

/** At most one answer of a conversation may be under way at a time: its actor sees to that. */
export function conversationWriter(db: Database, node: number): ConversationWriter {
  const acceptances = databaseBatch((rows: Acceptance[]) => acceptInRounds(db, node, rows), limits)
  const answers = databaseBatch((rows: TurnAnswer[]) => answer(db, node, rows), limits)
  return {
    accept: (acceptance) => acceptances.add(acceptance),
    answer: (turnAnswer) => answers.add(turnAnswer),
    async close() {
      await acceptances.close()
      await answers.close()
    },
  }
}

/** A statement changes a row only once: several acceptances for one conversation go into a statement each. */
async function acceptInRounds(db: Database, node: number, rows: Acceptance[]): Promise<AcceptOutcome[]> {
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
      node,
      round.map(({ row }) => row),
    )
    for (const [at, { n }] of round.entries()) results[n] = accepted[at] ?? 'unknown'
  }
  return results
}

/** Made once, as the statements are on the hot path. `n` and `step` give the order of the events. */
const acceptEvents = insertEvents(
  sql`kind`,
  sql`(
      select n, ordinal as step, 'message.created' as kind, workspace, conversation, channel, id from new_message
      union all
      select n, added + 1, 'turn.started', workspace, conversation, channel, turn from target where ${isUnqueued}
    ) as event order by n, step`,
  { workspaceId: sql`workspace`, conversationId: sql`conversation`, channelId: sql`channel` },
)

/** Of messages that are made JSON in one go: a message of megabytes costs some ten milliseconds each time. */
const charactersAtOnce = 1_048_576

async function acceptanceJson(rows: readonly Acceptance[]): Promise<string> {
  const columns: object[] = []
  let characters = 0
  for (const [n, row] of rows.entries()) {
    const made = acceptanceColumns(row, n)
    columns.push(made)
    for (const { body } of made.messages) characters += body.length
    if (characters < charactersAtOnce) continue
    characters = 0
    await setImmediate()
  }
  const json = JSON.stringify(columns)
  if (json.length > charactersAtOnce) await setImmediate()
  return json
}

async function accept(db: Database, node: number, rows: Acceptance[]): Promise<AcceptOutcome[]> {
  const input = await acceptanceJson(rows)
  const targets = await db.hot<{ n: number; seq: number | null; xid: string }>`
    with input as materialized (
      select * from json_to_recordset(${input}::text::json) as input (
        n integer, slot smallint, lease bigint, conversation uuid, workspace uuid, is_new boolean, owner text, added integer, turn uuid, api_key uuid, request text,
        model text, is_stream boolean, started_at timestamptz, origin text, agent text, messages json, after_seq integer, operator uuid, agent_version integer,
        previous uuid, created_at timestamptz, response text)
    ), held as materialized (${heldSlots(node)}
    ), kept as materialized (
      select input.* from input left join held using (slot, lease) where input.lease is null or held.lease is not null
    ), created as (
      insert into conversations (id, workspace_id, owner, last_seq)
      select conversation, workspace, owner, added from kept where is_new
      on conflict (id) do nothing returning id, channel_id, last_seq
    ), locked as materialized (
      select conversations.id from kept join conversations on conversations.id = kept.conversation
      where not kept.is_new and conversations.workspace_id = kept.workspace
        and (kept.after_seq is null or conversations.last_seq = kept.after_seq)
      order by conversations.channel_id, conversations.external_id, conversations.id for update of conversations
    ), continued as (
      update conversations set last_seq = last_seq + kept.added, updated_at = now(), active_at = default
      from locked join kept on kept.conversation = locked.id where conversations.id = locked.id
      returning conversations.id, conversations.channel_id, conversations.last_seq
    ), target as materialized (
      select kept.*, thread.channel_id as channel, thread.last_seq - kept.added as before
      from kept join (select * from created union all select * from continued) as thread on thread.id = kept.conversation
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, request_id, model, is_stream, started_at, epoch, lease_epoch,
        origin, agent, operator_id, agent_version, status, seq_from, seq)
      select turn, workspace, conversation, channel, api_key, request, model, is_stream, started_at, ${node}::bigint, lease,
        origin, agent, operator, agent_version, case when ${isUnqueued} then 'running' else 'queued' end,
        case when ${isQueued} then before + 1 end, case when ${isQueued} then before + added end
      from target
    ), response as (
      insert into responses (id, workspace_id, conversation_id, previous_id, seq, request, created_at)
      select turn, workspace, conversation, previous, before + added, response::jsonb, created_at
      from target where response is not null
    ), new_message as materialized (
      select target.*, message.ordinal, message.id, message.role, message.body
      from target cross join lateral json_to_recordset(target.messages)
        as message (ordinal integer, id uuid, role text, body text)
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select conversation, before + ordinal, id, workspace, turn, role, body::jsonb from new_message
    ), event as (${acceptEvents})
    select kept.n, target.before + target.added as seq, pg_current_xact_id()::text as xid
    from kept left join target on target.n = kept.n`
  const kept = new Map<number, AcceptOutcome>(
    targets.map(({ n, seq, xid }) => [n, seq === null ? 'unknown' : { startedXid: xid, seq }]),
  )
  return rows.map((_, n) => kept.get(n) ?? 'moved')
}

function acceptanceColumns(
  { conversation, lease, workspaceId, isNew, owner, messages, turn, origin, afterSeq, response }: Acceptance,
  n: number,
) {
  return {
    n,
    ...(lease !== null && { slot: slotOf(conversation), lease }),
    conversation: uuidOf(conversation),
    workspace: uuidOf(workspaceId),
    is_new: isNew,
    ...(isNew && { owner }),
    added: messages.length,
    turn: uuidOf(turn.id),
    api_key: turn.apiKeyId && uuidOf(turn.apiKeyId),
    request: safeText(turn.requestId),
    model: safeText(turn.model),
    is_stream: turn.isStream,
    started_at: turn.startedAt,
    origin,
    ...(turn.agent && { agent: safeText(turn.agent) }),
    ...(turn.operatorId && { operator: uuidOf(turn.operatorId) }),
    ...(typeof turn.agentVersion === 'number' && { agent_version: turn.agentVersion }),
    ...(afterSeq !== undefined && { after_seq: afterSeq }),
    ...(response && {
      previous: response.previous && uuidOf(response.previous),
      created_at: response.createdAt,
      response: safeJson(response.request),
    }),
    messages: messages.map(({ id, role, body }, index) => ({
      ordinal: index + 1,
      id: uuidOf(id),
      role: safeText(role),
      body: safeJson(body),
    })),
  }
}

const answerEvents = insertEvents(
  sql`kind`,
  sql`(
      select n, 1 as step, 'message.created' as kind, workspace, conversation, channel, message as id, null::json as payload
      from placed
      union all
      select n, 2, 'turn.' || status, workspace, conversation, channel, turn,
        case when error_code is not null then json_build_object('code', error_code, 'message', error_message) end
      from fenced
      union all
      select n, 3, 'delivery.pending', workspace, conversation, channel, delivery, null
      from placed where delivery is not null and channel is not null
    ) as event order by n, step`,
  {
    workspaceId: sql`workspace`,
    conversationId: sql`conversation`,
    channelId: sql`channel`,
    payload: sql`payload`,
  },
)

const usageOfAnswers = insertUsage(sql`(select * from ended union all select * from late)`, sql`ended.is_counted`)

/** Only a turn that still runs here can be answered: one that was cancelled or is claimed elsewhere is fenced off. */
async function answer(db: Database, node: number, rows: TurnAnswer[]): Promise<AnswerOutcome[]> {
  const recorded = await db.hot<{ n: number; seq: number | null }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(answerColumns))}::text::json) as input (
        n integer, lease bigint, conversation uuid, workspace uuid, turn uuid, message uuid, role text, body text, delivery uuid, expires_at timestamptz,
        status text, model text, prompt_tokens integer, completion_tokens integer, is_usage_estimated boolean, finish_reason text,
        error_code text, error_message text, time_to_first_token_ms real, duration_ms real, agent text, result text, endpoints json,
        agent_version integer, endpoint text, cached_tokens integer, reasoning_tokens integer, cost_micro bigint, currency text, usage json)
    ), fenced as materialized (
      select input.*, turns.channel_id as channel, turns.seq as turn_seq, turns.replaces from input join turns on turns.id = input.turn
      where turns.status = 'running' and turns.epoch = ${node}::bigint and turns.lease_epoch = input.lease order by turns.id for update of turns
    ), locked as materialized (
      select conversations.id from fenced join conversations on conversations.id = fenced.conversation
      where conversations.workspace_id = fenced.workspace and fenced.message is not null
      order by conversations.channel_id, conversations.external_id, conversations.id for update of conversations
    ), continued as (
      update conversations set last_seq = last_seq + 1, updated_at = now(), active_at = default from locked where conversations.id = locked.id
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
        -- The turn's own interim messages stay.
        and messages.turn_id <> placed.turn
    ), delivery as (
      insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, expires_at)
      select delivery, workspace, channel, conversation, turn, message, seq, expires_at from placed
      where delivery is not null and channel is not null
      returning id, message_id
    ), response as (
      update responses set result = fenced.result::jsonb from fenced where responses.id = fenced.turn and fenced.result is not null
    ), event as (${answerEvents}
    ), ended as (
      update turns set
        status = input.status, model = input.model, prompt_tokens = input.prompt_tokens, completion_tokens = input.completion_tokens,
        is_usage_estimated = input.is_usage_estimated, finish_reason = input.finish_reason, error_code = input.error_code,
        error_message = input.error_message, time_to_first_token_ms = input.time_to_first_token_ms, duration_ms = input.duration_ms,
        agent = coalesce(input.agent, turns.agent), endpoints = input.endpoints,
        agent_version = coalesce(input.agent_version, turns.agent_version), endpoint = input.endpoint,
        cached_tokens = input.cached_tokens, reasoning_tokens = input.reasoning_tokens, cost_micro = input.cost_micro, currency = input.currency
      from fenced as input where turns.id = input.turn
      returning turns.id, turns.workspace_id, turns.origin, turns.api_key_id, turns.operator_id, turns.channel_id, turns.status,
        turns.duration_ms, turns.time_to_first_token_ms, input.usage, true as is_counted
    ), late as (
      -- Cancelled while it ran: what it has used until then is known only now.
      update turns set
        prompt_tokens = input.prompt_tokens, completion_tokens = input.completion_tokens, is_usage_estimated = input.is_usage_estimated,
        duration_ms = input.duration_ms, endpoint = input.endpoint, cached_tokens = input.cached_tokens,
        reasoning_tokens = input.reasoning_tokens, cost_micro = input.cost_micro, currency = input.currency, is_usage_unknown = null
      from input where turns.id = input.turn and turns.status = 'cancelled' and turns.is_usage_unknown
        and turns.epoch = ${node}::bigint and turns.lease_epoch = input.lease
      returning turns.id, turns.workspace_id, turns.origin, turns.api_key_id, turns.operator_id, turns.channel_id, turns.status,
        turns.duration_ms, turns.time_to_first_token_ms, input.usage, false as is_counted
    ), entry as (${usageOfAnswers})
    select fenced.n, placed.seq from fenced left join placed on placed.n = fenced.n`
  const outcomes = new Map(recorded.map(({ n, seq }) => [n, { seq }]))
  return rows.map((_, n) => outcomes.get(n) ?? 'fenced')
}

function answerColumns(
  { conversation, lease, workspaceId, turn, end, message, delivery, agent, result }: TurnAnswer,
  n: number,
) {
  return {
    n,
    lease,
    conversation: uuidOf(conversation),
    workspace: uuidOf(workspaceId),
    turn: uuidOf(turn),
    ...(message && { message: uuidOf(message.id), role: safeText(message.role), body: safeJson(message.body) }),
    ...(delivery && { delivery: uuidOf(delivery.id), expires_at: delivery.expiresAt }),
    ...(agent !== undefined && { agent: safeText(agent) }),
    ...(result && { result: safeJson(result) }),
    status: end.status,
    model: safeText(end.model),
    prompt_tokens: storedCount(end.promptTokens),
    completion_tokens: storedCount(end.completionTokens),
    is_usage_estimated: end.isUsageEstimated,
    finish_reason: end.finishReason && safeText(end.finishReason),
    error_code: end.errorCode && safeText(end.errorCode),
    error_message: end.errorMessage && safeText(end.errorMessage).slice(0, 2_000),
    time_to_first_token_ms: end.timeToFirstTokenMs,
    duration_ms: end.durationMs,
    ...(end.endpoints && { endpoints: end.endpoints }),
    ...usageColumns(end, agent ?? null),
  }
}

function usageColumns(end: TurnEnd, agent: string | null) {
  const entries = entriesOf(end, agent)
  const { cachedTokens, reasoningTokens, cost } = sumsOf(entries)
  const [first] = entries
  return {
    ...(typeof first?.agentVersion === 'number' && first.agent === agent && { agent_version: first.agentVersion }),
    ...(first?.endpoint && { endpoint: safeText(first.endpoint) }),
    cached_tokens: cachedTokens,
    reasoning_tokens: reasoningTokens,
    ...(cost && { cost_micro: String(cost.microUnits), currency: cost.currency }),
    usage: entryRows(entries),
  }
}
