/** Events are rows that the statement which makes a change inserts with it: both are committed, or neither. */
import { type Fragment, sql } from '../postgres/sql.ts'

/** Where a column of an event comes from; absent: the column of that name, `id` for the subject, and no payload. */
interface EventColumns {
  workspaceId?: Fragment
  conversationId?: Fragment
  channelId?: Fragment
  subject?: Fragment
  payload?: Fragment
}

/** Inserts an event of this kind for each row of `from`, the body of a `from` clause with what may follow it. */
export function insertEvents(kind: Fragment, from: Fragment, columns: EventColumns = {}): Fragment {
  return sql`insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
    select ${columns.workspaceId ?? sql`workspace_id`}, ${kind}, ${columns.conversationId ?? sql`conversation_id`},
      ${columns.channelId ?? sql`channel_id`}, ${columns.subject ?? sql`id`}, ${columns.payload ?? sql`null::json`}
    from ${from}`
}
