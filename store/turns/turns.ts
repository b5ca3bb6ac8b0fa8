/** Turn records: one row a turn, written in groups at its start and at its end. */
import type { Clock } from '../../runtime/time/clock.ts'
import type { Database } from '../database.ts'
import { type ApiKeyId, type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeText } from '../postgres/safe-text.ts'

export interface TurnStart {
  id: TurnId
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  apiKeyId: ApiKeyId | null
  requestId: string
  model: string
  isStream: boolean
  startedAt: Date
  /** Who answers; none: the model does by itself, or it is not known yet. */
  agent?: string | null
}

export type EndStatus = 'completed' | 'failed' | 'cancelled' | 'interrupted'

export interface TurnEnd {
  status: EndStatus
  model: string
  promptTokens: number
  completionTokens: number
  isUsageEstimated: boolean
  finishReason: string | null
  errorCode: string | null
  errorMessage: string | null
  timeToFirstTokenMs: number | null
  durationMs: number
}

/** One turn's record while the turn runs. */
export interface TurnRecord {
  /** Resolves when a row of this turn is committed: as running, or already with its end. */
  readonly known: Promise<void>
  /** Writes the end: into the row that is not written yet, or with the next group of ends, within some milliseconds. */
  end(end: TurnEnd): Promise<void>
}

export interface TurnWriter {
  begin(start: TurnStart): TurnRecord
  /** Resolves when everything handed over so far is written. */
  close(): Promise<void>
}

const limits = { rowsMax: 256, flushersMax: 1, waitingMax: 20_000 }

/** Nobody waits for ends of their own: ten times fewer commits, which the starts that somebody waits for would queue behind. */
const endLingerMs = 10

/** A tenth of what a person can tell from at once, and half the commits at a thousand calls a second. */
const startPaceMs = 2

interface Row {
  start: TurnStart
  end: TurnEnd | undefined
}

export function turnWriter(db: Database, epoch: number, clock: Clock): TurnWriter {
  const write = async (rows: Row[]) => {
    await writeTurns(db, epoch, rows)
    return rows.map(() => undefined)
  }
  /** Rows of turns whose flush has them: an end comes too late to be written with the start. */
  const taken = new WeakSet<Row>()
  const starts = databaseBatch(
    (rows: Row[]) => {
      for (const row of rows) taken.add(row)
      return write(rows)
    },
    { ...limits, pace: { ms: startPaceMs, clock } },
  )
  const ends = databaseBatch(write, { ...limits, linger: { ms: endLingerMs, clock } })

  return {
    begin(start) {
      const row: Row = { start, end: undefined }
      const known = starts.add(row)
      // Heard through `known`; an ended turn's start matters to nobody.
      known.catch(ignore)
      return {
        known,
        end(end) {
          if (taken.has(row)) return ends.add({ start, end })
          row.end = end
          return known
        },
      }
    },
    async close() {
      await starts.close()
      await ends.close()
    },
  }
}

function ignore(): void {}

/** One statement for starts and ends. Rows go as one JSON text: half the work of seventeen arrays on our thread. */
async function writeTurns(db: Database, epoch: number, rows: Row[]): Promise<void> {
  await db.hot`
    insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, is_stream, started_at, status, model,
      prompt_tokens, completion_tokens, is_usage_estimated, finish_reason, error_code, error_message,
      time_to_first_token_ms, duration_ms, agent, epoch)
    select *, ${epoch}::bigint from json_to_recordset(${JSON.stringify(rows.map(columnsOf))}::text::json) as turn (
      id uuid, workspace_id uuid, conversation_id uuid, api_key_id uuid, request_id text, is_stream boolean,
      started_at timestamptz, status text, model text,
      prompt_tokens integer, completion_tokens integer, is_usage_estimated boolean, finish_reason text, error_code text,
      error_message text, time_to_first_token_ms real, duration_ms real, agent text)
    on conflict (id) do update set
      status = excluded.status, model = excluded.model, prompt_tokens = excluded.prompt_tokens,
      completion_tokens = excluded.completion_tokens, is_usage_estimated = excluded.is_usage_estimated,
      finish_reason = excluded.finish_reason, error_code = excluded.error_code, error_message = excluded.error_message,
      time_to_first_token_ms = excluded.time_to_first_token_ms, duration_ms = excluded.duration_ms
    where excluded.status <> 'running'`
}

function columnsOf({ start, end }: Row): object {
  return {
    id: uuidOf(start.id),
    workspace_id: uuidOf(start.workspaceId),
    conversation_id: start.conversationId && uuidOf(start.conversationId),
    api_key_id: start.apiKeyId && uuidOf(start.apiKeyId),
    request_id: safeText(start.requestId),
    is_stream: start.isStream,
    started_at: start.startedAt,
    status: end?.status ?? 'running',
    model: safeText(end?.model ?? start.model),
    ...(start.agent && { agent: safeText(start.agent) }),
    ...(end && {
      prompt_tokens: end.promptTokens,
      completion_tokens: end.completionTokens,
      is_usage_estimated: end.isUsageEstimated,
      finish_reason: end.finishReason && safeText(end.finishReason),
      error_code: end.errorCode && safeText(end.errorCode),
      error_message: end.errorMessage && safeText(end.errorMessage).slice(0, 2_000),
      time_to_first_token_ms: end.timeToFirstTokenMs,
      duration_ms: end.durationMs,
    }),
  }
}

/** Closes turns of this start that no longer run here (their record could not be closed when they ended). */
export async function interruptLostTurns(
  db: Database,
  epoch: number,
  running: readonly TurnId[],
  startedBefore: Date,
): Promise<number> {
  const rows = await db.system<{ id: string }>`
    update turns set status = 'interrupted', error_code = 'interrupted', error_message = 'the end was not recorded'
    where status = 'running' and origin = 'call' and epoch = ${epoch} and started_at < ${startedBefore}
      and not id = any(${running.map(uuidOf)}::uuid[]) returning id`
  return rows.length
}

export interface Turn extends TurnEnd {
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
