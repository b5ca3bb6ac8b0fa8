/**
 * Turns of a workspace as operators go through them: newest first, page by page. No index knows states, models and agents:
 * it would cost every turn that is written. So turns are looked through in the order of their ids, in bounded steps, and a
 * page says up to where.
 */
import { firstUuidAt } from '../conversations/list.ts'
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, run, sql } from '../postgres/statement.ts'
import type { TurnStatus } from './list.ts'
import type { TurnOrigin } from './queue.ts'

export interface TurnRow {
  id: TurnId
  conversationId: ConversationId | null
  channelId: ChannelId | null
  agent: string | null
  status: TurnStatus
  origin: TurnOrigin
  model: string
  promptTokens: number | null
  completionTokens: number | null
  finishReason: string | null
  durationMs: number | null
  timeToFirstTokenMs: number | null
  attempt: number
  error: { code: string; message: string } | null
  startedAt: Date
}

interface Row {
  id: string
  conversation_id: string | null
  channel_id: string | null
  agent: string | null
  status: TurnStatus
  origin: TurnOrigin
  model: string
  prompt_tokens: number | null
  completion_tokens: number | null
  finish_reason: string | null
  duration_ms: number | null
  time_to_first_token_ms: number | null
  attempt: number
  error_code: string | null
  error_message: string | null
  started_at: Date
}

export interface TurnPageFilter {
  conversation?: ConversationId | undefined
  status?: TurnStatus | undefined
  model?: string | undefined
  agent?: string | undefined
  /** As its caller named the request, or as it was named here. */
  requestId?: string | undefined
  /** When it was asked for: from `since` on, and before `until`. */
  since?: Date | undefined
  until?: Date | undefined
}

export interface TurnPage {
  turns: TurnRow[]
  /** Where to go on; null: everything was looked at. */
  next: TurnId | null
}

export const turnPageLimits = { stepTurns: 5_000, turnsMax: 50_000 }

/** An id begins with the time of its making, by a clock that may differ from the one that `started_at` is of. */
const clockSkewMsMax = 3_600_000

const columns = sql`id, conversation_id, channel_id, agent, status, origin, model, prompt_tokens, completion_tokens, finish_reason,
  duration_ms, time_to_first_token_ms, attempt, error_code, error_message, started_at`

/** @param page `before` is exclusive */
export async function pageOfTurns(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnPageFilter,
  page: { before: TurnId | null; limit: number },
  limits = turnPageLimits,
): Promise<TurnPage> {
  const turns: TurnRow[] = []
  let before = page.before
  for (let looked = 0; looked < limits.turnsMax; looked += limits.stepTurns) {
    const wanted = page.limit - turns.length
    const step = await lookThrough(db, workspace, filter, { before, wanted, step: limits.stepTurns })
    turns.push(...step.turns)
    if (turns.length >= page.limit) return { turns, next: turns.at(-1)?.id ?? null }
    if (step.last === null) return { turns, next: null }
    before = step.last
  }
  return { turns, next: before }
}

/** `last`: of all that were looked at; null: there are no more. */
async function lookThrough(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnPageFilter,
  look: { before: TurnId | null; wanted: number; step: number },
): Promise<{ turns: TurnRow[]; last: TurnId | null }> {
  const among = allOf(placesOf(workspace, filter, look.before))
  const found = await run<Row>(
    db.forWorkspace(workspace),
    sql`select `,
    columns,
    sql` from (select * from turns where `,
    among,
    sql` order by id desc limit ${look.step}) as looked_at where `,
    allOf(conditionsOf(filter)),
    sql` order by id desc limit ${look.wanted}`,
  )
  const turns = found.map(rowOf)
  if (turns.length === look.wanted) return { turns, last: turns.at(-1)?.id ?? null }
  const [edge] = await run<{ id: string }>(
    db.forWorkspace(workspace),
    sql`select id from turns where `,
    among,
    sql` order by id desc limit 1 offset ${look.step - 1}`,
  )
  return { turns, last: edge ? idFrom('turn', edge.id) : null }
}

/** Null: the workspace has no such turn. */
export async function readTurn(db: Database, workspace: WorkspaceId, id: TurnId): Promise<TurnRow | null> {
  const [row] = await run<Row>(
    db.forWorkspace(workspace),
    sql`select `,
    columns,
    sql` from turns where id = ${uuidOf(id)}::uuid and workspace_id = ${uuidOf(workspace)}::uuid`,
  )
  return row ? rowOf(row) : null
}

/** What an index answers. */
function placesOf(
  workspace: WorkspaceId,
  { conversation, since, until }: TurnPageFilter,
  before: TurnId | null,
): Fragment[] {
  const places = [sql`workspace_id = ${uuidOf(workspace)}::uuid`]
  if (conversation) places.push(sql`conversation_id = ${uuidOf(conversation)}::uuid`)
  if (before) places.push(sql`id < ${uuidOf(before)}::uuid`)
  if (since) places.push(sql`id >= ${firstUuidAt(since.getTime() - clockSkewMsMax)}::uuid`)
  if (until) places.push(sql`id < ${firstUuidAt(until.getTime() + clockSkewMsMax)}::uuid`)
  return places
}

function conditionsOf({ status, model, agent, requestId, since, until }: TurnPageFilter): Fragment[] {
  const conditions = [sql`true`]
  if (status) conditions.push(sql`status = ${status}::text`)
  if (model !== undefined) conditions.push(sql`model = ${safeText(model)}::text`)
  if (agent !== undefined) conditions.push(sql`agent = ${safeText(agent)}::text`)
  if (requestId !== undefined) conditions.push(sql`request_id = ${safeText(requestId)}::text`)
  if (since) conditions.push(sql`started_at >= ${since}`)
  if (until) conditions.push(sql`started_at < ${until}`)
  return conditions
}

function rowOf(row: Row): TurnRow {
  return {
    id: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversation_id),
    channelId: idFrom('chan', row.channel_id),
    agent: row.agent,
    status: row.status,
    origin: row.origin,
    model: row.model,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    finishReason: row.finish_reason,
    durationMs: row.duration_ms,
    timeToFirstTokenMs: row.time_to_first_token_ms,
    attempt: row.attempt,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    startedAt: row.started_at,
  }
}
