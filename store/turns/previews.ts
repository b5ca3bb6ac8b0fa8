/** The beginning of what turns were asked and what they answered, where it is stored: in messages of their conversations. */
import { bodyPreview } from '../conversations/body-preview.ts'
import type { Database } from '../database.ts'
import { idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { sql } from '../postgres/sql.ts'

export interface TurnPreview {
  input: string | null
  output: string | null
}

/** The messages behind a turn's question: no more are looked through for its answer. */
const laterMax = 50
/** A turn of the chat API does not know the place of its question: it is looked for among these, the newest. */
const newestMax = 500

/** Those that the workspace has of the turns. */
export async function turnPreviews(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly TurnId[],
): Promise<ReadonlyMap<TurnId, TurnPreview>> {
  if (ids.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<{ id: string } & TurnPreview>`
    select turns.id, question.text as input, answer.text as output
    from turns
    cross join lateral (
      select coalesce(turns.seq, (
        select max(seq) from (
          select seq, turn_id, role from messages where conversation_id = turns.conversation_id
          order by seq desc limit ${newestMax}
        ) as newest
        where turns.seq is null and turn_id = turns.id and role = 'user')) as seq
    ) as place
    left join lateral (
      select ${bodyPreview(sql`body`)} as text from messages
      where conversation_id = turns.conversation_id and seq = place.seq
    ) as question on true
    left join lateral (
      select text from (
        select turn_id, role, ${bodyPreview(sql`body`)} as text, seq from messages
        where conversation_id = turns.conversation_id and seq > place.seq order by seq limit ${laterMax}
      ) as later
      where turn_id = turns.id and role = 'assistant' and text is not null order by seq desc limit 1
    ) as answer on true
    where turns.id = any(${ids.map(uuidOf)}::uuid[]) and turns.conversation_id is not null`
  return new Map(rows.map(({ id, input, output }) => [idFrom('turn', id), { input, output }]))
}
