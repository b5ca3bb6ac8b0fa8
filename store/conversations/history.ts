/** The messages of a conversation that go to the model. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type MessageId, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { type Reach, withinReach } from '../owner-id.ts'

export interface StoredMessage {
  id: MessageId
  seq: number
  /** Its place in the order of turns. */
  turnSeq: number
  turnId: TurnId
  role: string
  body: unknown
  createdAt: Date
}

/**
 * The newest `limit` messages of the conversation's context, in the order of turns, oldest first. Messages whose turn still
 * waits are not among them.
 * @returns null when the workspace has no such conversation
 */
export async function loadMessages(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  limit: number,
): Promise<StoredMessage[] | null> {
  const rows = await db.forWorkspace(workspace)<{
    id: string | null
    seq: number
    turn_seq: number
    turn_id: string
    role: string
    body: unknown
    created_at: Date
  }>`
    select message.id, message.seq, message.turn_seq, message.turn_id, message.role, message.body, message.created_at
    from conversations left join lateral (
      select id, seq, coalesce(turn_seq, seq) as turn_seq, turn_id, role, body, created_at from messages
      where conversation_id = conversations.id and seq > conversations.context_after_seq and superseded_by is null
        and turn_id not in (
          select id from turns where conversation_id = conversations.id and status in ('queued', 'waiting') and origin <> 'call')
      order by seq desc limit ${limit}
    ) as message on true
    where conversations.id = ${uuidOf(conversation)} and conversations.workspace_id = ${uuidOf(workspace)}
    order by message.turn_seq, message.seq`
  if (rows.length === 0) return null
  return rows.flatMap((row) =>
    row.id === null
      ? []
      : [
          {
            id: idFrom('msg', row.id),
            seq: row.seq,
            turnSeq: row.turn_seq,
            turnId: idFrom('turn', row.turn_id),
            role: row.role,
            body: row.body,
            createdAt: row.created_at,
          },
        ],
  )
}

export async function conversationExists(db: Database, reach: Reach, conversation: ConversationId): Promise<boolean> {
  const rows = await db.forWorkspace(reach.workspaceId)<{ id: string }>`
    select id from conversations where id = ${uuidOf(conversation)} and ${withinReach(reach)}`
  return rows.length > 0
}
