/** A message that a running turn gives before its answer: with its outbox row, and once, however often it is written. */
import type { Database } from '../database.ts'
import { type ConversationId, type DeliveryId, type MessageId, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { safeJson } from '../postgres/safe-text.ts'

export interface InterimMessage {
  conversationId: ConversationId
  workspaceId: WorkspaceId
  turnId: TurnId
  /** Of the start of the service that runs the turn. */
  epoch: number
  /** The same each time it is written: a second one changes nothing. */
  messageId: MessageId
  text: string
  /** Null: nobody has it delivered; watchers of the conversation see it. */
  delivery: { id: DeliveryId; expiresAt: Date } | null
}

/** False: it was said before, or the turn does not run there any more. */
export async function writeInterimMessage(db: Database, said: InterimMessage): Promise<boolean> {
  const { conversationId, workspaceId, turnId, epoch, messageId, text, delivery } = said
  const body = safeJson({ role: 'assistant', content: text })
  const rows = await db.forWorkspace(workspaceId)<{ id: string }>`
    with turn as materialized (
      select id, workspace_id, channel_id, coalesce(seq, (select max(seq) from messages where turn_id = turns.id)) as turn_seq from turns
      where id = ${uuidOf(turnId)} and workspace_id = ${uuidOf(workspaceId)} and status = 'running' and epoch = ${epoch}::bigint
        and not exists (select from messages where id = ${uuidOf(messageId)})
    ), continued as (
      update conversations set last_seq = last_seq + 1, updated_at = now() from turn
      where conversations.id = ${uuidOf(conversationId)} and conversations.workspace_id = turn.workspace_id
      returning conversations.id, conversations.last_seq
    ), placed as materialized (
      select continued.id as conversation, last_seq as seq, turn.workspace_id, turn.channel_id, turn.id as turn, turn_seq
      from continued cross join turn
    ), message as (
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body, turn_seq)
      select conversation, seq, ${uuidOf(messageId)}::uuid, workspace_id, turn, 'assistant', ${body}::text::jsonb, turn_seq from placed
    ), delivery as (
      insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, expires_at)
      select ${delivery && uuidOf(delivery.id)}::uuid, workspace_id, channel_id, conversation, turn, ${uuidOf(messageId)}::uuid, seq,
        ${delivery?.expiresAt ?? null}::timestamptz
      from placed where ${delivery !== null}::boolean and channel_id is not null
      returning id
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'message.created', conversation, channel_id, ${uuidOf(messageId)}::uuid from placed
      union all
      select placed.workspace_id, 'delivery.pending', conversation, channel_id, delivery.id from placed cross join delivery
    )
    select conversation as id from placed`
  return rows.length > 0
}
