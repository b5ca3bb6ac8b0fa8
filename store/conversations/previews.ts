/** What tells conversations apart in a list: their first words, their newest message and its turn. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { sql } from '../postgres/sql.ts'
import type { TurnOrigin } from '../turns/origin.ts'
import type { TurnStatus } from '../turns/status.ts'
import { bodyPreview, previewLengthMax } from './body-preview.ts'

export interface ConversationPreview {
  /** The beginning of the first message; null: it has no text. */
  opening: string | null
  /** The newest message that was not replaced; null: there is none. */
  newest: { role: string; name: string | null; text: string | null; at: Date } | null
  turn: { id: TurnId; agent: string | null; status: TurnStatus; origin: TurnOrigin } | null
}

interface Row {
  id: string
  opening: string | null
  role: string | null
  name: string | null
  text: string | null
  at: Date | null
  turn: string | null
  agent: string | null
  status: TurnStatus | null
  origin: TurnOrigin | null
}

/** Of those of the ids that the workspace has. */
export async function conversationPreviews(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly ConversationId[],
): Promise<ReadonlyMap<ConversationId, ConversationPreview>> {
  if (ids.length === 0) return new Map()
  const rows = await db.forWorkspace(workspace)<Row>`
    select page.id, opening.text as opening, newest.role, newest.name, newest.text, newest.created_at as at,
      turn.id as turn, turn.agent, turn.status, turn.origin
    from unnest(${ids.map(uuidOf)}::uuid[]) as page (id)
    left join lateral (
      select ${bodyPreview(sql`body`)} as text from messages where conversation_id = page.id order by seq limit 1
    ) as opening on true
    left join lateral (
      select role, left(body ->> 'name', ${previewLengthMax}::integer) as name, ${bodyPreview(sql`body`)} as text, created_at, turn_id
      from messages where conversation_id = page.id and superseded_by is null order by seq desc limit 1
    ) as newest on true
    left join turns as turn on turn.id = newest.turn_id`
  return new Map(rows.map((row) => [idFrom('conv', row.id), previewOf(row)]))
}

function previewOf({ opening, role, name, text, at, turn, agent, status, origin }: Row): ConversationPreview {
  return {
    opening,
    newest: role !== null && at !== null ? { role, name, text, at } : null,
    turn:
      turn !== null && status !== null && origin !== null ? { id: idFrom('turn', turn), agent, status, origin } : null,
  }
}
