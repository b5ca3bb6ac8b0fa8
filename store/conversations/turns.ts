/** Turns that operators ask for: a message of theirs, or another answer to what was said last. They wait in the queue. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ApiKeyId, type ConversationId, type TurnId, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import type { NewMessage } from './conversations.ts'
import { lockConversation } from './writes.ts'

export interface NewTurn {
  id: TurnId
  apiKeyId: ApiKeyId | null
  /** The start of the service that takes it. */
  epoch: number
}

export interface PostedMessage {
  conversation: ConversationId
  message: NewMessage
  turn: NewTurn
}

/** Stores the message of a user with a turn that waits for it. */
export function postMessage(db: Database, actor: AuditActor, posted: PostedMessage): Promise<'posted' | 'unknown'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const known = await lockConversation(query, actor.workspaceId, posted.conversation)
    if (!known) return 'unknown'
    await appendMessage(query, actor, posted)
    await writeAudit(query, {
      ...{ actor, action: 'conversation.post', target: posted.conversation },
      before: { lastSeq: known.lastSeq },
      after: { lastSeq: known.lastSeq + 1, message: posted.message.id, body: posted.message.body },
    })
    return 'posted'
  })
}

/** The rows of a posted message, as `ConversationWriter.accept` makes them for a batch, but within a transaction. */
export async function appendMessage(query: Query, actor: AuditActor, posted: PostedMessage): Promise<void> {
  const { conversation, message, turn } = posted
  await query`
    with thread as (
      update conversations set last_seq = last_seq + 1, updated_at = now() where id = ${uuidOf(conversation)}
      returning id, workspace_id, channel_id, last_seq
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select id, last_seq, ${uuidOf(message.id)}::uuid, workspace_id, ${uuidOf(turn.id)}::uuid, ${safeText(message.role)},
        ${safeJson(message.body)}::text::jsonb
      from thread
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, request_id, epoch, status, model, is_stream,
        started_at, origin, seq_from, seq)
      select ${uuidOf(turn.id)}::uuid, workspace_id, id, channel_id, ${turn.apiKeyId && uuidOf(turn.apiKeyId)}::uuid,
        ${safeText(actor.requestId)}, ${turn.epoch}::bigint, 'queued', '', true, now(), 'admin', last_seq, last_seq
      from thread
    )
    insert into events (workspace_id, kind, conversation_id, channel_id, subject)
    select workspace_id, 'message.created', id, channel_id, ${uuidOf(message.id)}::uuid from thread`
}

/**
 * Queues a turn that answers the last message of the user once more; its answer supersedes those that were given.
 * @returns busy: a turn waits or runs, and what it will say is not known yet
 */
export function regenerateAnswer(
  db: Database,
  actor: AuditActor,
  conversation: ConversationId,
  turn: NewTurn,
): Promise<'queued' | 'unknown' | 'busy' | 'nothing_said'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const known = await lockConversation(query, actor.workspaceId, conversation)
    if (!known) return 'unknown'
    const open = await query<{ id: string }>`
      select id from turns where conversation_id = ${uuidOf(conversation)} and status in ('queued', 'running', 'waiting') limit 1`
    if (open.length > 0) return 'busy'
    const [said] = await query<{ seq: number }>`
      select seq from messages
      where conversation_id = ${uuidOf(conversation)} and role = 'user' and superseded_by is null order by seq desc limit 1`
    if (!said) return 'nothing_said'
    await query`
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, request_id, epoch, status, model, is_stream,
        started_at, origin, seq_from, seq, replaces)
      values (${uuidOf(turn.id)}, ${uuidOf(actor.workspaceId)}, ${uuidOf(conversation)}, ${known.channelId && uuidOf(known.channelId)},
        ${turn.apiKeyId && uuidOf(turn.apiKeyId)}, ${safeText(actor.requestId)}, ${turn.epoch}::bigint, 'queued', '', true, now(),
        'admin', ${said.seq}, ${said.seq}, true)`
    // After a reset the question counts again: its new answer would stand in the context without it.
    const contextAfterSeq = Math.min(known.contextAfterSeq, said.seq - 1)
    await query`
      update conversations set context_after_seq = ${contextAfterSeq}, updated_at = now() where id = ${uuidOf(conversation)}`
    await writeAudit(query, {
      ...{ actor, action: 'conversation.regenerate', target: conversation },
      before: { contextAfterSeq: known.contextAfterSeq },
      after: { contextAfterSeq, turn: turn.id, seq: said.seq },
    })
    return 'queued'
  })
}
