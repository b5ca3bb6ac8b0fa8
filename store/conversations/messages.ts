/** Messages of a conversation as people read them: superseded ones and feedback included, in pages bounded in number and bytes. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type MessageId, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'

export interface MessageRecord {
  id: MessageId
  seq: number
  role: string
  /** The message as the API has it. */
  body: Record<string, unknown>
  /** What its channel said of it besides. */
  details: Record<string, unknown> | null
  turnId: TurnId
  supersededBy: MessageId | null
  feedback: { rating: number; comment: string | null } | null
  createdAt: Date
}

interface Row {
  id: string
  seq: number
  role: string
  body: Record<string, unknown>
  details: Record<string, unknown> | null
  turn_id: string
  superseded_by: string | null
  rating: number | null
  comment: string | null
  created_at: Date
}

/** Of one page; its first message comes whatever its size. */
const pageBytesMax = 8 * 1_048_576

/** The newest messages before `beforeSeq` (exclusive), oldest first: at most `limit`, and fewer when they are large. */
export async function messagesBefore(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  page: { beforeSeq: number; limit: number },
): Promise<MessageRecord[]> {
  const rows = await db.forWorkspace(workspace)<Row>`
    select said.id, seq, role, body, details, turn_id, superseded_by, rating, comment, created_at from (
      select *, sum(octet_length(body::text)) over (order by seq desc) as bytes, row_number() over (order by seq desc) as place
      from (
        select id, seq, role, body, details, turn_id, superseded_by, created_at from messages
        where conversation_id = ${uuidOf(conversation)} and seq < ${page.beforeSeq} order by seq desc limit ${page.limit}
      ) as newest
    ) as said left join feedback on feedback.message_id = said.id
    where bytes <= ${pageBytesMax}::bigint or place = 1 order by seq`
  return rows.map(messageOf)
}

/** The messages from `afterSeq` (exclusive) up to `upToSeq`, in order: at most `limit`, and fewer when they are large. */
export async function messagesAfter(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  page: { afterSeq: number; upToSeq: number; limit: number },
): Promise<MessageRecord[]> {
  const rows = await db.forWorkspace(workspace)<Row>`
    select said.id, seq, role, body, details, turn_id, superseded_by, rating, comment, created_at from (
      select *, sum(octet_length(body::text)) over (order by seq) as bytes, row_number() over (order by seq) as place
      from (
        select id, seq, role, body, details, turn_id, superseded_by, created_at from messages
        where conversation_id = ${uuidOf(conversation)} and seq > ${page.afterSeq} and seq <= ${page.upToSeq}
        order by seq limit ${page.limit}
      ) as next
    ) as said left join feedback on feedback.message_id = said.id
    where bytes <= ${pageBytesMax}::bigint or place = 1 order by seq`
  return rows.map(messageOf)
}

function messageOf(row: Row): MessageRecord {
  return {
    id: idFrom('msg', row.id),
    seq: row.seq,
    role: row.role,
    body: row.body,
    details: row.details,
    turnId: idFrom('turn', row.turn_id),
    supersededBy: idFrom('msg', row.superseded_by),
    feedback: row.rating === null ? null : { rating: row.rating, comment: row.comment },
    createdAt: row.created_at,
  }
}
