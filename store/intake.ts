/** Intake: one statement deduplicates, threads and stores a whole batch of messages, queues their turns and writes their events. */

import type { Database } from './database.ts'
import { insertEvents } from './events/insert.ts'
import {
  type ChannelId,
  type ConversationId,
  idFrom,
  type MessageId,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from './id.ts'
import { databaseBatch } from './postgres/batch.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'
import { sql } from './postgres/sql.ts'

export interface InboundMessage {
  channelId: ChannelId
  workspaceId: WorkspaceId
  /** The sender, as the channel names them: one conversation each. */
  externalId: string
  /** Of the conversation that is created where the sender has none. */
  conversationId: ConversationId
  messageId: MessageId
  turnId: TurnId
  /** By this a repeated message is recognised; null: every post is a new message. */
  dedupe: { key: string; digest: string } | null
  /** True: a sender without a binding is ignored. */
  isBindingRequired: boolean
  /** In the form of a chat message: text, or parts. */
  content: unknown
  senderName: string | null
  /** Where the answer goes; null: where the last one went. */
  replyTo: unknown
  /** Further facts from the channel: stored, and not sent to the model. */
  details?: object | null
  requestId: string
}

export type Intake =
  | { disposition: 'accepted' | 'duplicate'; messageId: MessageId; conversationId: ConversationId }
  /** The sender is not bound to a role: nothing was stored. */
  | { disposition: 'ignored' }
  /** The key was used for another message. */
  | { disposition: 'conflict' }

export interface IntakeWriter {
  /** Resolves after the commit. @throws BatchFull, DatabaseDown */
  take(message: InboundMessage): Promise<Intake>
  readonly waiting: number
  close(): Promise<void>
}

/** Two statements under way hide each other's commit behind work; more are not faster (measured). */
const limits = { rowsMax: 256, flushersMax: 2, waitingMax: 20_000 }

export function intakeWriter(db: Database, epoch: number): IntakeWriter {
  const batch = databaseBatch((rows: InboundMessage[]) => take(db, epoch, rows), limits)
  return {
    take: (message) => batch.add(message),
    get waiting() {
      return batch.waiting
    },
    close: () => batch.close(),
  }
}

interface Placed {
  n: number
  /** Null: its key was used before. */
  thread: string | null
}

async function take(db: Database, epoch: number, rows: InboundMessage[]): Promise<Intake[]> {
  const placed = await store(db, epoch, rows)
  const results: Intake[] = rows.map(() => ({ disposition: 'ignored' }))
  const repeated: number[] = []
  for (const { n, thread } of placed) {
    const row = rows[n]
    if (!row) continue
    if (thread === null) repeated.push(n)
    else results[n] = { disposition: 'accepted', messageId: row.messageId, conversationId: idFrom('conv', thread) }
  }
  if (repeated.length > 0) await lookUp(db, rows, repeated, results)
  return results
}

/** Made once, as the statement is on the hot path. */
const messageEvents = insertEvents(sql`'message.created'`, sql`placed order by n`, {
  workspaceId: sql`workspace`,
  conversationId: sql`thread`,
  channelId: sql`channel`,
  subject: sql`message`,
})

/**
 * Conversations are locked in the order of their senders, as in every statement that locks several. Columns go as arrays:
 * the server takes an eighth less time for them than for one JSON text, and it is the server that limits intake.
 */
function store(db: Database, epoch: number, rows: InboundMessage[]): Promise<Placed[]> {
  return db.hot<Placed>`
    with input as materialized (
      select * from unnest(
        ${rows.map((_, n) => n)}::integer[],
        ${rows.map(({ dedupe }) => dedupe?.key ?? null)}::uuid[],
        ${rows.map(({ dedupe }) => dedupe?.digest ?? null)}::uuid[],
        ${rows.map((row) => uuidOf(row.channelId))}::uuid[],
        ${rows.map((row) => uuidOf(row.workspaceId))}::uuid[],
        ${rows.map((row) => uuidOf(row.conversationId))}::uuid[],
        ${rows.map((row) => safeText(row.externalId))}::text[],
        ${rows.map((row) => uuidOf(row.messageId))}::uuid[],
        ${rows.map((row) => uuidOf(row.turnId))}::uuid[],
        ${rows.map((row) => row.isBindingRequired)}::boolean[],
        ${rows.map((row) => safeJson(bodyOf(row)))}::text[],
        ${rows.map(({ senderName }) => senderName && safeText(senderName))}::text[],
        ${rows.map(({ replyTo }) => (replyTo === null ? null : safeJson(replyTo)))}::text[],
        ${rows.map(({ details }) => (details ? safeJson(details) : null))}::text[],
        ${rows.map((row) => safeText(row.requestId))}::text[]
      ) as input (n, key, digest, channel, workspace, conversation, sender, message, turn, must_be_bound, body, name, reply_to, details,
        request)
    ), allowed as materialized (
      select n, key, digest, channel, workspace, conversation, sender collate "C" as sender, message, turn, body, name, reply_to,
        details, request
      from input left join lateral (
        select true as is_bound from channel_bindings where channel_id = input.channel and external_id = input.sender limit 1
      ) as binding on input.must_be_bound
      where not input.must_be_bound or binding.is_bound
    ), fresh as (
      insert into inbound (key, digest, message_id) select key, digest, message from allowed where key is not null
      on conflict (key) do nothing returning message_id
    ), accepted as materialized (
      select *, row_number() over (partition by channel, sender order by n) as place,
        count(*) over (partition by channel, sender) as added
      from allowed where key is null or message in (select message_id from fresh)
    ), thread as (
      insert into conversations (id, workspace_id, channel_id, external_id, last_seq, title, reply_to)
      select conversation, workspace, channel, sender, added, coalesce(name, ''), reply_to::jsonb from accepted where place = added
      order by channel, sender
      on conflict (channel_id, external_id) where channel_id is not null do update set
        last_seq = conversations.last_seq + excluded.last_seq, updated_at = now(), active_at = default,
        reply_to = coalesce(excluded.reply_to, conversations.reply_to)
      returning id, channel_id, external_id, last_seq
    ), placed as materialized (
      select accepted.*, thread.id as thread, thread.last_seq - added + place as seq
      from accepted join thread on thread.channel_id = accepted.channel and thread.external_id = accepted.sender
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body, details)
      select thread, seq, message, workspace, turn, 'user', body::jsonb, details::jsonb from placed
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, channel_id, request_id, epoch, status, model, is_stream, started_at,
        origin, seq_from, seq)
      select turn, workspace, thread, channel, request, ${epoch}::bigint, 'queued', '', true, now(), 'channel', seq, seq from placed
    ), event as (${messageEvents})
    select allowed.n, placed.thread from allowed left join placed on placed.n = allowed.n`
}

/** In the form of a chat message. */
function bodyOf({ content, senderName }: InboundMessage): object {
  return { role: 'user', content, ...(senderName !== null && { name: senderName }) }
}

/**
 * A separate statement: joined to the first one, the growing table of keys would be part of a plan that was made when it
 * was empty, and a message that lost a race would not see the winner's row yet.
 */
async function lookUp(db: Database, rows: InboundMessage[], repeated: number[], results: Intake[]): Promise<void> {
  const keys = repeated.flatMap((n) => rows[n]?.dedupe?.key ?? [])
  const stored = await db.hot<{ key: string; digest: string; message_id: string; conversation_id: string }>`
    select inbound.key, inbound.digest, inbound.message_id, messages.conversation_id
    from inbound join messages on messages.id = inbound.message_id
    where inbound.key = any(${keys}::uuid[])`
  const byKey = new Map(stored.map((row) => [row.key.replaceAll('-', ''), row]))
  for (const n of repeated) {
    const { dedupe } = rows[n] ?? {}
    const first = dedupe && byKey.get(dedupe.key)
    if (!first) throw new Error('a repeated message cannot be found')
    results[n] =
      first.digest.replaceAll('-', '') === dedupe.digest
        ? {
            disposition: 'duplicate',
            messageId: idFrom('msg', first.message_id),
            conversationId: idFrom('conv', first.conversation_id),
          }
        : { disposition: 'conflict' }
  }
}
