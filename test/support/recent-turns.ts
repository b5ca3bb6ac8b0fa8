/** What the database holds of turns, for tests that check their records. */
import type { Database } from '../../store/database.ts'
import { type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../../store/id.ts'
import type { EndStatus, TurnEnd } from '../../store/turns/turns.ts'

interface Turn extends TurnEnd {
  id: TurnId
  conversationId: ConversationId | null
  requestId: string
  isStream: boolean
  startedAt: Date
}

/** Turns of a workspace, newest first. `before` is exclusive. */
export async function recentTurns(
  db: Database,
  workspace: WorkspaceId,
  page: { before: TurnId | null; limit: number },
): Promise<(Omit<Turn, 'status'> & { status: EndStatus | 'queued' | 'running' })[]> {
  const before = page.before ? uuidOf(page.before) : 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const rows = await db.forWorkspace(workspace)<TurnRow>`
    select id, conversation_id, request_id, is_stream, started_at, status, model, prompt_tokens, completion_tokens,
      is_usage_estimated, finish_reason, error_code, error_message, time_to_first_token_ms, duration_ms
    from turns where workspace_id = ${uuidOf(workspace)} and id < ${before}::uuid order by id desc limit ${page.limit}`
  return rows.map((row) => ({
    id: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversation_id),
    requestId: row.request_id,
    isStream: row.is_stream,
    startedAt: row.started_at,
    status: row.status,
    model: row.model,
    promptTokens: row.prompt_tokens ?? 0,
    completionTokens: row.completion_tokens ?? 0,
    isUsageEstimated: row.is_usage_estimated ?? true,
    finishReason: row.finish_reason,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    timeToFirstTokenMs: row.time_to_first_token_ms,
    durationMs: row.duration_ms ?? 0,
  }))
}

interface TurnRow {
  id: string
  conversation_id: string | null
  request_id: string
  is_stream: boolean
  started_at: Date
  status: EndStatus | 'queued' | 'running'
  model: string
  prompt_tokens: number | null
  completion_tokens: number | null
  is_usage_estimated: boolean | null
  finish_reason: string | null
  error_code: string | null
  error_message: string | null
  time_to_first_token_ms: number | null
  duration_ms: number | null
}
