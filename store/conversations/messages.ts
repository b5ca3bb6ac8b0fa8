/** Messages of a conversation for people, with superseded ones and feedback, in pages bounded in number and bytes. */
import type { Database } from '../database.ts'
import {
  type ConversationId,
  idFrom,
  type MessageId,
  type RowOf,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { sql } from '../postgres/sql.ts'

export interface MessageRecord {
  id: MessageId
  seq: number
  role: string
  /** The message in the form of the API. */
  body: Record<string, unknown>
  /** Further facts from its channel. */
  details: Record<string, unknown> | null
  turnId: TurnId
  supersededBy: MessageId | null
  feedback: { rating: number; comment: string | null } | null
  createdAt: Date
}

type Row = RowOf<MessageRecord>

const columns = sql`page.id, seq, role, body, details, turn_id as "turnId", superseded_by as "supersededBy",
  case when rating is not null then json_build_object('rating', rating, 'comment', comment) end as feedback,
  created_at as "createdAt"`

/** Of one page; it has at least one message, of whatever size. */
const pageBytesMax = 8 * 1_048_576

/** The newest messages before `beforeSeq` (exclusive), oldest first: at most `limit`, and fewer when they are large. */
export async function messagesBefore(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  page: { beforeSeq: number; limit: number },
): Promise<MessageRecord[]> {
  const rows = await db.forWorkspace(workspace)<Row>`
    select ${columns} from (
      select *, sum(octet_length(body::text)) over (order by seq desc) as bytes, row_number() over (order by seq desc) as place
      from (
        select id, seq, role, body, details, turn_id, superseded_by, created_at from messages
        where conversation_id = ${uuidOf(conversation)} and seq < ${page.beforeSeq} order by seq desc limit ${page.limit}
      ) as newest
    ) as page left join feedback on feedback.message_id = page.id
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
    select ${columns} from (
      select *, sum(octet_length(body::text)) over (order by seq) as bytes, row_number() over (order by seq) as place
      from (
        select id, seq, role, body, details, turn_id, superseded_by, created_at from messages
        where conversation_id = ${uuidOf(conversation)} and seq > ${page.afterSeq} and seq <= ${page.upToSeq}
        order by seq limit ${page.limit}
      ) as next
    ) as page left join feedback on feedback.message_id = page.id
    where bytes <= ${pageBytesMax}::bigint or place = 1 order by seq`
  return rows.map(messageOf)
}

function messageOf(row: Row): MessageRecord {
  return {
    ...row,
    id: idFrom('msg', row.id),
    turnId: idFrom('turn', row.turnId),
    supersededBy: idFrom('msg', row.supersededBy),
  }
}
