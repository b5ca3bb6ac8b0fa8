/**
 * Turns as operators list them, newest first. No index covers states, models and agents: it would slow down every turn that
 * is written. So turns are scanned in the order of their ids, a bounded number of them for each request.
 */
import type { Database } from '../database.ts'
import {
  type ChannelId,
  type ConversationId,
  firstUuidAt,
  idFrom,
  type RowOf,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import type { TurnOrigin } from './origin.ts'
import type { TurnStatus } from './status.ts'
import type { AskedEndpoint } from './turns.ts'

export interface TurnRecord {
  id: TurnId
  conversationId: ConversationId | null
  channelId: ChannelId | null
  agent: string | null
  /** 0: one that nobody has written; null: it is not known, or the model answered by itself. */
  agentVersion: number | null
  /** Where the answer came from; null: nothing was asked, or a version that did not store it. */
  endpoint: string | null
  cachedTokens: number | null
  reasoningTokens: number | null
  /** Null: none of it has a price. */
  cost: { currency: string; microUnits: string } | null
  /** It was ended from outside while it ran. */
  isUsageUnknown: boolean
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
  /** Null: there was only one. */
  endpoints: AskedEndpoint[] | null
  startedAt: Date
}

export interface TurnFilter {
  conversation?: ConversationId | undefined
  status?: TurnStatus | undefined
  model?: string | undefined
  agent?: string | undefined
  origin?: TurnOrigin | undefined
  /** The code of its failure. */
  error?: string | undefined
  /** The X-Request-Id of the request: the caller's, or the one made here. */
  requestId?: string | undefined
  /** When it started: from `since` on, and before `until`. */
  since?: Date | undefined
  until?: Date | undefined
}

export interface TurnPage {
  turns: TurnRecord[]
  /** Where the next page begins; null: this was the last. */
  next: TurnId | null
}

export const turnPageLimits = { stepTurns: 5_000, turnsMax: 50_000 }

/** The newest turns that `listTurns` scans: older ones are not found by it. */
export const turnsScannedMax = 50_000

/** An id begins with the time at which it was made, by a clock that may differ from that of `started_at`. */
const clockSkewMsMax = 3_600_000

/**
 * A turn starts later than it was made when it waits: in the queue, in a paused channel, for an approval and then once more.
 * `since` is about the start, but turns are scanned by their ids: one that waited longer than this is not found by it.
 */
const startDelayMsMax = 48 * 3_600_000

export const turnColumns = sql`id, conversation_id as "conversationId", channel_id as "channelId", agent, status, origin, model,
  prompt_tokens as "promptTokens", completion_tokens as "completionTokens", finish_reason as "finishReason",
  duration_ms as "durationMs", time_to_first_token_ms as "timeToFirstTokenMs", attempt,
  case when error_code is not null then json_build_object('code', error_code, 'message', coalesce(error_message, '')) end as error,
  endpoints, started_at as "startedAt", agent_version as "agentVersion", endpoint, cached_tokens as "cachedTokens",
  reasoning_tokens as "reasoningTokens", coalesce(is_usage_unknown, false) as "isUsageUnknown",
  case when cost_micro is not null then json_build_object('currency', currency, 'microUnits', cost_micro::text) end as cost`

/** Page by page. @param page `before` is exclusive */
export async function pageOfTurns(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnFilter,
  page: { before: TurnId | null; limit: number },
  limits = turnPageLimits,
): Promise<TurnPage> {
  const turns: TurnRecord[] = []
  let before = page.before
  for (let scanned = 0; scanned < limits.turnsMax; scanned += limits.stepTurns) {
    const limit = page.limit - turns.length
    const step = await scan(db, workspace, filter, { before, limit, turns: limits.stepTurns })
    turns.push(...step.turns)
    if (turns.length >= page.limit) return { turns, next: turns.at(-1)?.id ?? null }
    if (step.last === null) return { turns, next: null }
    before = step.last
  }
  return { turns, next: before }
}

/** @returns `last`: the last turn that was scanned; null: there are no more */
async function scan(
  db: Database,
  workspace: WorkspaceId,
  filter: TurnFilter,
  step: { before: TurnId | null; limit: number; turns: number },
): Promise<{ turns: TurnRecord[]; last: TurnId | null }> {
  const range = allOf(rangeOf(workspace, filter, step.before))
  const rows = await db.forWorkspace(workspace)<RowOf<TurnRecord>>`
    select ${turnColumns} from (select * from turns where ${range} order by id desc limit ${step.turns}) as scanned
    where ${allOf(conditionsOf(filter))} order by id desc limit ${step.limit}`
  const turns = rows.map(turnOf)
  if (turns.length === step.limit) return { turns, last: turns.at(-1)?.id ?? null }
  const [edge] = await db.forWorkspace(workspace)<{ id: string }>`
    select id from turns where ${range} order by id desc limit 1 offset ${step.turns - 1}`
  return { turns, last: edge ? idFrom('turn', edge.id) : null }
}

/** By their number in the list, among the newest `turnsScannedMax` of the conversation or the workspace. */
export async function listTurns(
  db: Database,
  workspace: WorkspaceId,
  filter: Pick<TurnFilter, 'conversation' | 'status' | 'since'>,
  page: { offset: number; limit: number },
): Promise<TurnRecord[]> {
  const range = allOf(rangeOf(workspace, { conversation: filter.conversation }, null))
  const rows = await db.forWorkspace(workspace)<RowOf<TurnRecord>>`
    select ${turnColumns} from (select * from turns where ${range} order by id desc limit ${turnsScannedMax}) as scanned
    where ${allOf(conditionsOf(filter))} order by id desc limit ${page.limit} offset ${page.offset}`
  return rows.map(turnOf)
}

/** Null: the workspace has no such turn. */
export async function readTurn(db: Database, workspace: WorkspaceId, id: TurnId): Promise<TurnRecord | null> {
  const [row] = await db.forWorkspace(workspace)<RowOf<TurnRecord>>`
    select ${turnColumns} from turns where id = ${uuidOf(id)}::uuid and workspace_id = ${uuidOf(workspace)}::uuid`
  return row ? turnOf(row) : null
}

/** Conditions that an index serves. */
export function rangeOf(
  workspace: WorkspaceId,
  { conversation, since, until }: TurnFilter,
  before: TurnId | null,
): Fragment[] {
  const range = [sql`workspace_id = ${uuidOf(workspace)}::uuid`]
  if (conversation) range.push(sql`conversation_id = ${uuidOf(conversation)}::uuid`)
  if (before) range.push(sql`id < ${uuidOf(before)}::uuid`)
  if (since) range.push(sql`id >= ${firstUuidAt(since.getTime() - startDelayMsMax)}::uuid`)
  if (until) range.push(sql`id < ${firstUuidAt(until.getTime() + clockSkewMsMax)}::uuid`)
  return range
}

/** Conditions that none serves. */
export function conditionsOf({ status, origin, model, agent, error, requestId, since, until }: TurnFilter): Fragment[] {
  const conditions: Fragment[] = []
  if (status) conditions.push(sql`status = ${status}::text`)
  if (origin) conditions.push(sql`origin = ${origin}::text`)
  if (error !== undefined) conditions.push(sql`error_code = ${safeText(error)}::text`)
  if (model !== undefined) conditions.push(sql`model = ${safeText(model)}::text`)
  if (agent !== undefined) conditions.push(sql`agent = ${safeText(agent)}::text`)
  if (requestId !== undefined) conditions.push(sql`request_id = ${safeText(requestId)}::text`)
  if (since) conditions.push(sql`started_at >= ${since}`)
  if (until) conditions.push(sql`started_at < ${until}`)
  return conditions
}

export function turnOf(row: RowOf<TurnRecord>): TurnRecord {
  return {
    ...row,
    id: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversationId),
    channelId: idFrom('chan', row.channelId),
  }
}
