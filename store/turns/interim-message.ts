/** A message that a running turn sends before its answer: stored with its outbox row, and only once. */
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ConversationId, type DeliveryId, type MessageId, uuidOf, type WorkspaceId } from '../id.ts'
import { safeJson } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { type HeldTurn, runsAt } from './held.ts'

export interface InterimMessage {
  conversationId: ConversationId
  workspaceId: WorkspaceId
  turn: HeldTurn
  /** The same each time it is written: a second write changes nothing. */
  messageId: MessageId
  text: string
  /** Null: it is not delivered to a channel; watchers of the conversation see it. */
  delivery: { id: DeliveryId; expiresAt: Date } | null
}

/** False: it was written before, or the turn no longer runs there. */
export async function writeInterimMessage(db: Database, message: InterimMessage): Promise<boolean> {
  const { conversationId, workspaceId, turn, messageId, text, delivery } = message
  const body = safeJson({ role: 'assistant', content: text })
  const rows = await db.forWorkspace(workspaceId)<{ id: string }>`
    with turn as materialized (
      select id, workspace_id, channel_id, coalesce(seq, (select max(seq) from messages where turn_id = turns.id)) as turn_seq
      from turns
      where ${runsAt(turn)} and workspace_id = ${uuidOf(workspaceId)}
        and not exists (select from messages where id = ${uuidOf(messageId)})
      for update
    ), continued as (
      update conversations set last_seq = last_seq + 1, updated_at = now(), active_at = default from turn
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
      ${insertEvents(
        sql`kind`,
        sql`(
          select 1 as step, 'message.created' as kind, workspace_id, conversation as conversation_id, channel_id,
            ${uuidOf(messageId)}::uuid as id from placed
          union all
          select 2, 'delivery.pending', placed.workspace_id, conversation, channel_id, delivery.id from placed cross join delivery
        ) as events_of_message order by step`,
      )}
    )
    select conversation as id from placed`
  return rows.length > 0
}
