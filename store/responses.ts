/** Stored responses: each is a turn of a conversation, with the fields of its request that it repeats. */
import { loadMessages } from './conversations/history.ts'
import { lockConversation } from './conversations/writes.ts'
import type { Database } from './database.ts'
import {
  type ConversationId,
  idFrom,
  type MessageId,
  type ResponseId,
  type RowOf,
  uuidOf,
  type WorkspaceId,
} from './id.ts'
import { type HeldKey, isHeld } from './nodes/slots.ts'
import { type Reach, withinReach } from './owner-id.ts'
import type { Query } from './postgres/query.ts'
import { openStatuses, type TurnStatus } from './turns/status.ts'

export interface ResponseRecord {
  id: ResponseId
  conversation: ConversationId
  previous: ResponseId | null
  /** The place of the last message of its input. */
  seq: number
  request: Record<string, unknown>
  /** Null: it has not ended, or without an answer. */
  result: Record<string, unknown> | null
  createdAt: Date
  status: TurnStatus
  model: string
  finishReason: string | null
  errorCode: string | null
  errorMessage: string | null
  promptTokens: number | null
  completionTokens: number | null
  /** The answer's message as the chat API has it; null: there is none. */
  message: Record<string, unknown> | null
}

export async function readResponse(db: Database, reach: Reach, id: ResponseId): Promise<ResponseRecord | null> {
  const [found = null] = await readResponses(db, reach, [id])
  return found
}

/** Those of them that there are. */
export async function readResponses(db: Database, reach: Reach, ids: readonly ResponseId[]): Promise<ResponseRecord[]> {
  const rows = await db.forWorkspace(reach.workspaceId)<RowOf<ResponseRecord>>`
    select responses.id, responses.conversation_id as conversation, previous_id as previous, responses.seq, request, result,
      responses.created_at as "createdAt", status, model, finish_reason as "finishReason", error_code as "errorCode",
      error_message as "errorMessage", prompt_tokens as "promptTokens", completion_tokens as "completionTokens", (
        select body from messages
        where messages.conversation_id = responses.conversation_id and messages.seq > responses.seq
          and turn_id = responses.id and role = 'assistant' and turns.status = 'completed'
        order by messages.seq desc limit 1
      ) as message
    from responses join turns on turns.id = responses.id join conversations on conversations.id = responses.conversation_id
    where responses.id = any(${ids.map(uuidOf)}::uuid[]) and ${withinReach(reach)}`
  return rows.map((row) => ({
    ...row,
    id: idFrom('resp', row.id),
    conversation: idFrom('conv', row.conversation),
    previous: idFrom('resp', row.previous),
  }))
}

/** Where a conversation is continued after a response. */
export interface ResponsePlace {
  conversation: ConversationId
  status: TurnStatus
  /** Of the last message of its turn. */
  seq: number
  /** Of the last message of the conversation. */
  lastSeq: number
}

export async function placeOfResponse(db: Database, reach: Reach, id: ResponseId): Promise<ResponsePlace | null> {
  const [row] = await db.forWorkspace(reach.workspaceId)<
    Omit<ResponsePlace, 'conversation'> & { conversation: string }
  >`
    select responses.conversation_id as conversation, turns.status, conversations.last_seq as "lastSeq", coalesce((
        select seq from messages
        where messages.conversation_id = responses.conversation_id and messages.seq > responses.seq
          and turn_id = responses.id
        order by messages.seq desc limit 1
      ), responses.seq) as seq
    from responses join turns on turns.id = responses.id join conversations on conversations.id = responses.conversation_id
    where responses.id = ${uuidOf(id)} and ${withinReach(reach)}`
  return row ? { ...row, conversation: idFrom('conv', row.conversation) } : null
}

/** The newest messages up to a place, oldest first: at most `limit`. */
export async function messagesUntil(
  db: Database,
  workspace: WorkspaceId,
  { conversation, seq }: { conversation: ConversationId; seq: number },
  limit: number,
): Promise<unknown[]> {
  const messages = (await loadMessages(db, workspace, conversation, limit)) ?? []
  return messages.filter((message) => message.seq <= seq).map(({ body }) => body)
}

export interface InputMessage {
  id: MessageId
  body: Record<string, unknown>
}

export interface InputPage {
  isAscending: boolean
  /** The message to begin with, itself included; null: the first. */
  from: MessageId | null
  limit: number
}

/** The messages that a response answers: at most `limit`, and fewer when they are large. @returns also whether there are more */
export async function inputMessages(
  db: Database,
  workspace: WorkspaceId,
  id: ResponseId,
  { isAscending, from, limit }: InputPage,
): Promise<{ messages: InputMessage[]; hasMore: boolean }> {
  const sign = isAscending ? 1 : -1
  const rows = await db.forWorkspace(workspace)<{ id: string; body: Record<string, unknown>; found: number }>`
    select id, body, found from (
      select *, count(*) over ()::integer as found, sum(octet_length(body::text)) over (order by seq * ${sign}) as bytes,
        row_number() over (order by seq * ${sign}) as place
      from (
        select messages.id, messages.seq, messages.body from responses join messages using (conversation_id)
        where responses.id = ${uuidOf(id)} and responses.workspace_id = ${uuidOf(workspace)}
          and messages.turn_id = responses.id and messages.seq <= responses.seq and (${from && uuidOf(from)}::uuid is null
            or messages.seq * ${sign} >= (select first.seq * ${sign} from messages as first
              where first.id = ${from && uuidOf(from)}::uuid and first.turn_id = responses.id))
        order by messages.seq * ${sign} limit ${limit + 1}
      ) as next
    ) as page where place <= ${limit} and (bytes <= ${pageBytesMax}::bigint or place = 1)
    order by seq * ${sign}`
  const messages = rows.map((row) => ({ id: idFrom('msg', row.id), body: row.body }))
  return { messages, hasMore: (rows[0]?.found ?? 0) > rows.length }
}

const pageBytesMax = 8_388_608

/**
 * Deletes a response; with the last response of a conversation in which nothing else was said, its messages too.
 * @returns busy: its turn has not ended
 */
export function deleteResponse(
  db: Database,
  reach: Reach,
  id: ResponseId,
): Promise<{ conversation: ConversationId } | 'unknown' | 'busy'> {
  const { workspaceId } = reach
  return db.transaction(workspaceId, async (query) => {
    const [row] = await query<{ conversation: string; is_open: boolean }>`
      select responses.conversation_id as conversation, status in ${openStatuses} as is_open
      from responses join turns on turns.id = responses.id join conversations on conversations.id = responses.conversation_id
      where responses.id = ${uuidOf(id)} and ${withinReach(reach)}`
    if (!row) return 'unknown'
    if (row.is_open) return 'busy'
    const conversation = idFrom('conv', row.conversation)
    // Nobody continues it meanwhile.
    await lockConversation(query, workspaceId, conversation)
    await query`delete from responses where id = ${uuidOf(id)}`
    await deleteUnused(query, [row.conversation])
    return { conversation }
  })
}

/** Deletes ended responses that were made before `before`, the oldest first, at most `limit`. @returns how many */
export function deleteOldResponses(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  return db.transaction('system', async (query) => {
    const rows = await query<{ id: string; conversation: string }>`
      select responses.id, responses.conversation_id as conversation
      from responses join conversations on conversations.id = responses.conversation_id
      where ${isHeld(held)} and responses.created_at < ${before} and not exists (
        select from turns where turns.id = responses.id and status in ${openStatuses})
      order by responses.created_at limit ${limit} for update of conversations skip locked`
    if (rows.length === 0) return 0
    await query`delete from responses where id = any(${rows.map(({ id }) => id)}::uuid[])`
    await deleteUnused(query, [...new Set(rows.map(({ conversation }) => conversation))])
    return rows.length
  })
}

/**
 * Deletes those of these conversations that hold nothing but turns of responses, none of which is kept any more. The
 * turns themselves stay, without words, for the figures.
 */
async function deleteUnused(query: Query, conversations: readonly string[]): Promise<void> {
  const unused = await query<{ id: string }>`
    select id from conversations
    where id = any(${conversations}::uuid[]) and channel_id is null
      and not exists (select from responses where responses.conversation_id = conversations.id)
      and not exists (select from turns where turns.conversation_id = conversations.id and turns.origin <> 'responses')`
  if (unused.length === 0) return
  const ids = unused.map(({ id }) => id)
  await query`
    with turn as (
      update turns set conversation_id = null where conversation_id = any(${ids}::uuid[]) returning id
    ), step as (
      delete from turn_steps where turn_id in (select id from turn)
    ), approval as (
      delete from approvals where turn_id in (select id from turn)
    ), message as (
      delete from messages where conversation_id = any(${ids}::uuid[]) returning id
    ), rating as (
      delete from feedback where message_id in (select id from message)
    ), event as (
      delete from events where conversation_id = any(${ids}::uuid[])
    )
    delete from conversations where id = any(${ids}::uuid[])`
}
