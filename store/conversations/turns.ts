/** Turns that operators queue: a message of their own, or another answer to the last message of the user. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ApiKeyId, type ConversationId, type OperatorId, type TurnId, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { openStatuses } from '../turns/status.ts'
import type { NewMessage } from './conversations.ts'
import { lockConversation } from './writes.ts'

export interface NewTurn {
  id: TurnId
  apiKeyId: ApiKeyId | null
  /** Whose session or key it is. */
  operatorId: OperatorId | null
  /** That accepts it. */
  node: number
}

export interface PostedMessage {
  conversation: ConversationId
  message: NewMessage
  turn: NewTurn
}

/** Stores a user's message with a queued turn. */
export function postMessage(db: Database, actor: AuditActor, posted: PostedMessage): Promise<'posted' | 'unknown'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const conversation = await lockConversation(query, actor.workspaceId, posted.conversation)
    if (!conversation) return 'unknown'
    await appendMessage(query, actor, posted)
    const { lastSeq } = conversation
    await writeAudit(query, {
      actor,
      action: 'conversation.post',
      target: posted.conversation,
      before: { lastSeq },
      after: { lastSeq: lastSeq + 1, message: posted.message.id, body: posted.message.body },
    })
    return 'posted'
  })
}

/** The rows of a posted message, as `ConversationWriter.accept` makes them for a batch, but within a transaction. */
export async function appendMessage(query: Query, actor: AuditActor, posted: PostedMessage): Promise<void> {
  const { conversation, message, turn } = posted
  await query`
    with thread as (
      update conversations set last_seq = last_seq + 1, updated_at = now(), active_at = default where id = ${uuidOf(conversation)}
      returning id, workspace_id, channel_id, last_seq
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select id, last_seq, ${uuidOf(message.id)}::uuid, workspace_id, ${uuidOf(turn.id)}::uuid, ${safeText(message.role)},
        ${safeJson(message.body)}::text::jsonb
      from thread
    ), turn as (
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, operator_id, request_id, epoch, status, model, is_stream,
        started_at, origin, seq_from, seq)
      select ${uuidOf(turn.id)}::uuid, workspace_id, id, channel_id, ${turn.apiKeyId && uuidOf(turn.apiKeyId)}::uuid,
        ${turn.operatorId && uuidOf(turn.operatorId)}::uuid,
        ${safeText(actor.requestId)}, ${turn.node}::bigint, 'queued', '', true, now(), 'admin', last_seq, last_seq
      from thread
    )
    ${insertEvents(sql`'message.created'`, sql`thread`, { conversationId: sql`id`, subject: sql`${uuidOf(message.id)}::uuid` })}`
}

/**
 * Queues a turn that answers the last message of the user once more; its answer supersedes the present one.
 * @returns busy: a turn has not ended, so that the answer to supersede is not there yet
 */
export function regenerateAnswer(
  db: Database,
  actor: AuditActor,
  conversation: ConversationId,
  turn: NewTurn,
): Promise<'queued' | 'unknown' | 'busy' | 'no_message'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const locked = await lockConversation(query, actor.workspaceId, conversation)
    if (!locked) return 'unknown'
    const open = await query<{ id: string }>`
      select id from turns where conversation_id = ${uuidOf(conversation)} and status in ${openStatuses} limit 1`
    if (open.length > 0) return 'busy'
    const [question] = await query<{ seq: number }>`
      select seq from messages
      where conversation_id = ${uuidOf(conversation)} and role = 'user' and superseded_by is null order by seq desc limit 1`
    if (!question) return 'no_message'
    await query`
      insert into turns (id, workspace_id, conversation_id, channel_id, api_key_id, operator_id, request_id, epoch, status, model, is_stream,
        started_at, origin, seq_from, seq, replaces)
      values (${uuidOf(turn.id)}, ${uuidOf(actor.workspaceId)}, ${uuidOf(conversation)}, ${locked.channelId && uuidOf(locked.channelId)},
        ${turn.apiKeyId && uuidOf(turn.apiKeyId)}, ${turn.operatorId && uuidOf(turn.operatorId)}, ${safeText(actor.requestId)}, ${turn.node}::bigint, 'queued', '', true, now(),
        'admin', ${question.seq}, ${question.seq}, true)`
    // After a reset the question is part of the context again: otherwise its new answer would stand there without it.
    const contextAfterSeq = Math.min(locked.contextAfterSeq, question.seq - 1)
    await query`
      update conversations set context_after_seq = ${contextAfterSeq}, updated_at = now() where id = ${uuidOf(conversation)}`
    await writeAudit(query, {
      actor,
      action: 'conversation.regenerate',
      target: conversation,
      before: { contextAfterSeq: locked.contextAfterSeq },
      after: { contextAfterSeq, turn: turn.id, seq: question.seq },
    })
    return 'queued'
  })
}
