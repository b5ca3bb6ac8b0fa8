/** Stored conversations: what was said, in order, each turn's messages committed with the turn's own row. */
import { databaseBatch } from './batch.ts'
import type { Database } from './database.ts'
import { type ConversationId, idFrom, type MessageId, uuidOf, type WorkspaceId } from './id.ts'
import { safeJson, safeText } from './safe-text.ts'
import type { TurnEnd, TurnStart } from './turns.ts'

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
}

export interface GivenAnswer {
  conversation: ConversationId
  workspaceId: WorkspaceId
  turn: TurnStart
  end: TurnEnd
  /** Null: the turn gave no answer. */
  message: NewMessage | null
}

export interface ConversationWriter {
  /** Appends messages and records the turn as running, together. Unknown: no such conversation in this workspace. */
  accept(acceptance: Acceptance): Promise<'accepted' | 'unknown'>
  /** Appends the answer and records the turn's end, together. */
  answer(answer: GivenAnswer): Promise<void>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 1, waitingMax: 10_000 }

/** Of one conversation at most one acceptance or answer may be under way: its actor sees to that. */
export function conversationWriter(db: Database, epoch: number): ConversationWriter {
  const acceptances = databaseBatch((rows: Acceptance[]) => accept(db, epoch, rows), limits)
  const answers = databaseBatch((rows: GivenAnswer[]) => answer(db, rows), limits)
  return {
    accept: (acceptance) => acceptances.add(acceptance),
    answer: (given) => answers.add(given),
    async close() {
      await acceptances.close()
      await answers.close()
    },
  }
}

async function accept(db: Database, epoch: number, rows: Acceptance[]): Promise<('accepted' | 'unknown')[]> {
  const messages = rows.flatMap((row) => row.messages.map((message, index) => ({ row, message, ordinal: index + 1 })))
  const known = await db.hot<{ id: string }>`
    with input as (
      select * from unnest(
        ${rows.map((row) => uuidOf(row.conversation))}::uuid[],
        ${rows.map((row) => uuidOf(row.workspaceId))}::uuid[],
        ${rows.map((row) => row.isNew)}::boolean[],
        ${rows.map((row) => row.messages.length)}::integer[],
        ${rows.map((row) => uuidOf(row.turn.id))}::uuid[],
        ${rows.map((row) => row.turn.apiKeyId && uuidOf(row.turn.apiKeyId))}::uuid[],
        ${rows.map((row) => safeText(row.turn.requestId))}::text[],
        ${rows.map((row) => safeText(row.turn.model))}::text[],
        ${rows.map((row) => row.turn.isStream)}::boolean[],
        ${rows.map((row) => row.turn.startedAt)}::timestamptz[]
      ) as input (conversation_id, workspace_id, is_new, added, turn_id, api_key_id, request_id, model, is_stream, started_at)
    ), made as (
      insert into conversations (id, workspace_id, last_seq)
      select conversation_id, workspace_id, added from input where is_new
      on conflict (id) do nothing returning id, last_seq
    ), continued as (
      update conversations set last_seq = last_seq + input.added, updated_at = now() from input
      where conversations.id = input.conversation_id and conversations.workspace_id = input.workspace_id and not input.is_new
      returning conversations.id, conversations.last_seq
    ), known as (
      select * from made union all select * from continued
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, model, is_stream, started_at, epoch, status)
      select turn_id, workspace_id, conversation_id, api_key_id, request_id, model, is_stream, started_at, ${epoch}::bigint, 'running'
      from input join known on known.id = input.conversation_id
      on conflict (id) do nothing
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select said.conversation_id, known.last_seq - input.added + said.ordinal, said.id, input.workspace_id, input.turn_id, said.role, said.body::jsonb
      from unnest(
        ${messages.map(({ row }) => uuidOf(row.conversation))}::uuid[],
        ${messages.map(({ ordinal }) => ordinal)}::integer[],
        ${messages.map(({ message }) => uuidOf(message.id))}::uuid[],
        ${messages.map(({ message }) => safeText(message.role))}::text[],
        ${messages.map(({ message }) => safeJson(message.body))}::text[]
      ) as said (conversation_id, ordinal, id, role, body)
      join known on known.id = said.conversation_id
      join input on input.conversation_id = said.conversation_id
    )
    select id from known`
  const ids = new Set(known.map((row) => idFrom<ConversationId>('conv', row.id)))
  return rows.map((row) => (ids.has(row.conversation) ? 'accepted' : 'unknown'))
}

async function answer(db: Database, rows: GivenAnswer[]): Promise<undefined[]> {
  await db.hot`
    with input as (
      select * from unnest(
        ${rows.map((row) => uuidOf(row.conversation))}::uuid[],
        ${rows.map((row) => uuidOf(row.workspaceId))}::uuid[],
        ${rows.map((row) => uuidOf(row.turn.id))}::uuid[],
        ${rows.map((row) => row.message && uuidOf(row.message.id))}::uuid[],
        ${rows.map((row) => row.message && safeText(row.message.role))}::text[],
        ${rows.map((row) => row.message && safeJson(row.message.body))}::text[],
        ${rows.map(({ end }) => end.status)}::text[],
        ${rows.map(({ end }) => safeText(end.model))}::text[],
        ${rows.map(({ end }) => end.promptTokens)}::integer[],
        ${rows.map(({ end }) => end.completionTokens)}::integer[],
        ${rows.map(({ end }) => end.isUsageEstimated)}::boolean[],
        ${rows.map(({ end }) => end.finishReason && safeText(end.finishReason))}::text[],
        ${rows.map(({ end }) => end.errorCode && safeText(end.errorCode))}::text[],
        ${rows.map(({ end }) => end.errorMessage && safeText(end.errorMessage).slice(0, 2_000))}::text[],
        ${rows.map(({ end }) => end.timeToFirstTokenMs)}::real[],
        ${rows.map(({ end }) => end.durationMs)}::real[]
      ) as input (conversation_id, workspace_id, turn_id, message_id, role, body, status, model, prompt_tokens, completion_tokens,
        is_usage_estimated, finish_reason, error_code, error_message, time_to_first_token_ms, duration_ms)
    ), continued as (
      update conversations set last_seq = last_seq + 1, updated_at = now() from input
      where conversations.id = input.conversation_id and conversations.workspace_id = input.workspace_id and input.message_id is not null
      returning conversations.id, conversations.last_seq
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select input.conversation_id, continued.last_seq, input.message_id, input.workspace_id, input.turn_id, input.role, input.body::jsonb
      from input join continued on continued.id = input.conversation_id
    )
    update turns set
      status = input.status, model = input.model, prompt_tokens = input.prompt_tokens, completion_tokens = input.completion_tokens,
      is_usage_estimated = input.is_usage_estimated, finish_reason = input.finish_reason, error_code = input.error_code,
      error_message = input.error_message, time_to_first_token_ms = input.time_to_first_token_ms, duration_ms = input.duration_ms
    from input where turns.id = input.turn_id`
  return rows.map(() => undefined)
}

export interface StoredMessage {
  id: MessageId
  seq: number
  role: string
  body: unknown
  createdAt: Date
}

/** The newest `limit` messages, oldest first; null when the workspace has no such conversation. */
export async function loadMessages(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  limit: number,
): Promise<StoredMessage[] | null> {
  const rows = await db.within(workspace)<{
    id: string | null
    seq: number
    role: string
    body: unknown
    created_at: Date
  }>`
    select messages.id, messages.seq, messages.role, messages.body, messages.created_at
    from conversations left join lateral (
      select id, seq, role, body, created_at from messages
      where conversation_id = conversations.id order by seq desc limit ${limit}
    ) as messages on true
    where conversations.id = ${uuidOf(conversation)} and conversations.workspace_id = ${uuidOf(workspace)}
    order by messages.seq`
  if (rows.length === 0) return null
  return rows.flatMap((row) =>
    row.id === null
      ? []
      : [
          {
            id: idFrom<MessageId>('msg', row.id),
            seq: row.seq,
            role: row.role,
            body: row.body,
            createdAt: row.created_at,
          },
        ],
  )
}
