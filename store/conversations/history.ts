/** The past of a conversation, as a model is told of it. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type MessageId, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'

export interface StoredMessage {
  id: MessageId
  seq: number
  /** Where it stands in the order of turns. */
  turnSeq: number
  turnId: TurnId
  role: string
  body: unknown
  createdAt: Date
}

/**
 * What a model is told of the conversation: the newest `limit` messages that count, in the order of turns, oldest first.
 * Those that wait for a turn of their own are told with that.
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
    select said.id, said.seq, said.turn_seq, said.turn_id, said.role, said.body, said.created_at
    from conversations left join lateral (
      select id, seq, coalesce(turn_seq, seq) as turn_seq, turn_id, role, body, created_at from messages
      where conversation_id = conversations.id and seq > conversations.context_after_seq and superseded_by is null
        and turn_id not in (
          select id from turns where conversation_id = conversations.id and status in ('queued', 'waiting') and origin <> 'call')
      order by seq desc limit ${limit}
    ) as said on true
    where conversations.id = ${uuidOf(conversation)} and conversations.workspace_id = ${uuidOf(workspace)}
    order by said.turn_seq, said.seq`
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

export async function conversationExists(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
): Promise<boolean> {
  const rows = await db.forWorkspace(workspace)<{ id: string }>`
    select id from conversations where id = ${uuidOf(conversation)} and workspace_id = ${uuidOf(workspace)}`
  return rows.length > 0
}
