/** Turns as operators look at them: of one conversation or of the workspace, newest first. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { allOf, run, sql } from '../postgres/statement.ts'
import type { TurnOrigin } from './queue.ts'

export const turnStatuses = [
  'queued',
  'running',
  'waiting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
  'merged',
] as const
export type TurnStatus = (typeof turnStatuses)[number]

export interface TurnRecord {
  id: TurnId
  conversationId: ConversationId | null
  status: TurnStatus
  origin: TurnOrigin
  model: string
  promptTokens: number | null
  completionTokens: number | null
  durationMs: number | null
  timeToFirstTokenMs: number | null
  attempt: number
  error: { code: string; message: string } | null
  startedAt: Date
}

interface Row {
  id: string
  conversation_id: string | null
  status: TurnStatus
  origin: TurnOrigin
  model: string
  prompt_tokens: number | null
  completion_tokens: number | null
  duration_ms: number | null
  time_to_first_token_ms: number | null
  attempt: number
  error_code: string | null
  error_message: string | null
  started_at: Date
}

export interface TurnFilter {
  conversation?: ConversationId | undefined
  status?: TurnStatus | undefined
  since?: Date | undefined
}

/** The newest turns that a filter looks at: older ones are not found by it. */
export const turnsLookedAtMax = 50_000

export async function listTurns(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnFilter,
  page: { offset: number; limit: number },
): Promise<TurnRecord[]> {
  const among = [sql`workspace_id = ${uuidOf(workspace)}::uuid`]
  if (filter.conversation) among.push(sql`conversation_id = ${uuidOf(filter.conversation)}::uuid`)
  const wanted = [sql`true`]
  if (filter.status) wanted.push(sql`status = ${filter.status}::text`)
  if (filter.since) wanted.push(sql`started_at >= ${filter.since}`)
  const rows = await run<Row>(
    db.forWorkspace(workspace),
    sql`
      select id, conversation_id, status, origin, model, prompt_tokens, completion_tokens, duration_ms, time_to_first_token_ms,
        attempt, error_code, error_message, started_at
      from (select * from turns where `,
    allOf(among),
    sql` order by id desc limit ${turnsLookedAtMax}) as looked_at where `,
    allOf(wanted),
    sql` order by id desc limit ${page.limit} offset ${page.offset}`,
  )
  return rows.map(recordOf)
}

function recordOf(row: Row): TurnRecord {
  return {
    id: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversation_id),
    status: row.status,
    origin: row.origin,
    model: row.model,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    durationMs: row.duration_ms,
    timeToFirstTokenMs: row.time_to_first_token_ms,
    attempt: row.attempt,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    startedAt: row.started_at,
  }
}
