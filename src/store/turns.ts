/** Turn records: one row a turn, written in groups at its start and at its end. */
import { databaseBatch } from './batch.ts'
import type { Database } from './database.ts'
import { type ApiKeyId, type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from './id.ts'
import { safeText } from './safe-text.ts'

export interface TurnStart {
  id: TurnId
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  apiKeyId: ApiKeyId | null
  requestId: string
  model: string
  isStream: boolean
  startedAt: Date
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
  /** Writes the end. A turn that ends before its start was written is written once. */
  end(end: TurnEnd): Promise<void>
}

export interface TurnWriter {
  begin(start: TurnStart): TurnRecord
  /** Resolves when everything handed over so far is written. */
  close(): Promise<void>
}

const limits = { rowsMax: 256, flushersMax: 1, waitingMax: 20_000 }

interface Draft {
  start: TurnStart
  /** waiting: no flush has it yet. taken: written, or on its way. ended: its end is written instead. */
  state: 'waiting' | 'taken' | 'ended'
}

export function turnWriter(db: Database, epoch: number): TurnWriter {
  const starts = databaseBatch(async (drafts: Draft[]) => {
    const due = drafts.filter((draft) => draft.state === 'waiting')
    for (const draft of due) draft.state = 'taken'
    if (due.length > 0)
      await insertStarts(
        db,
        epoch,
        due.map((draft) => draft.start),
      )
    return drafts.map(() => undefined)
  }, limits)
  const ends = databaseBatch(async (rows: EndRow[]) => {
    await upsertEnds(db, epoch, rows)
    return rows.map(() => undefined)
  }, limits)

  return {
    begin(start) {
      const draft: Draft = { start, state: 'waiting' }
      const begun = starts.add(draft)
      // Heard through `known`; an ended turn's start matters to nobody.
      begun.catch(ignore)
      let ended: Promise<void> | undefined
      return {
        get known() {
          return draft.state === 'ended' && ended ? ended : begun
        },
        end(end) {
          if (draft.state === 'waiting') draft.state = 'ended'
          ended ??= ends.add({ start, end })
          return ended
        },
      }
    },
    async close() {
      await starts.close()
      await ends.close()
    },
  }
}

interface EndRow {
  start: TurnStart
  end: TurnEnd
}

function ignore(): void {}

async function insertStarts(db: Database, epoch: number, rows: TurnStart[]): Promise<void> {
  await db.hot`
    insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, model, is_stream, started_at, epoch, status)
    select *, ${epoch}::bigint, 'running'
    from unnest(
      ${rows.map((row) => uuidOf(row.id))}::uuid[],
      ${rows.map((row) => uuidOf(row.workspaceId))}::uuid[],
      ${rows.map((row) => row.conversationId && uuidOf(row.conversationId))}::uuid[],
      ${rows.map((row) => row.apiKeyId && uuidOf(row.apiKeyId))}::uuid[],
      ${rows.map((row) => safeText(row.requestId))}::text[],
      ${rows.map((row) => safeText(row.model))}::text[],
      ${rows.map((row) => row.isStream)}::boolean[],
      ${rows.map((row) => row.startedAt)}::timestamptz[])
    on conflict (id) do nothing`
}

async function upsertEnds(db: Database, epoch: number, rows: EndRow[]): Promise<void> {
  await db.hot`
    insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, is_stream, started_at,
      status, model, prompt_tokens, completion_tokens, is_usage_estimated, finish_reason, error_code, error_message,
      time_to_first_token_ms, duration_ms, epoch)
    select *, ${epoch}::bigint
    from unnest(
      ${rows.map(({ start }) => uuidOf(start.id))}::uuid[],
      ${rows.map(({ start }) => uuidOf(start.workspaceId))}::uuid[],
      ${rows.map(({ start }) => start.conversationId && uuidOf(start.conversationId))}::uuid[],
      ${rows.map(({ start }) => start.apiKeyId && uuidOf(start.apiKeyId))}::uuid[],
      ${rows.map(({ start }) => safeText(start.requestId))}::text[],
      ${rows.map(({ start }) => start.isStream)}::boolean[],
      ${rows.map(({ start }) => start.startedAt)}::timestamptz[],
      ${rows.map(({ end }) => end.status)}::text[],
      ${rows.map(({ end }) => safeText(end.model))}::text[],
      ${rows.map(({ end }) => end.promptTokens)}::integer[],
      ${rows.map(({ end }) => end.completionTokens)}::integer[],
      ${rows.map(({ end }) => end.isUsageEstimated)}::boolean[],
      ${rows.map(({ end }) => end.finishReason && safeText(end.finishReason))}::text[],
      ${rows.map(({ end }) => end.errorCode && safeText(end.errorCode))}::text[],
      ${rows.map(({ end }) => end.errorMessage && safeText(end.errorMessage).slice(0, 2_000))}::text[],
      ${rows.map(({ end }) => end.timeToFirstTokenMs)}::real[],
      ${rows.map(({ end }) => end.durationMs)}::real[])
    on conflict (id) do update set
      status = excluded.status, model = excluded.model, prompt_tokens = excluded.prompt_tokens,
      completion_tokens = excluded.completion_tokens, is_usage_estimated = excluded.is_usage_estimated,
      finish_reason = excluded.finish_reason, error_code = excluded.error_code, error_message = excluded.error_message,
      time_to_first_token_ms = excluded.time_to_first_token_ms, duration_ms = excluded.duration_ms`
}

/** Closes what earlier starts of the service left running. Returns how many. */
export async function interruptOldTurns(db: Database, epoch: number): Promise<number> {
  const rows = await db.system<{ id: string }>`
    update turns set status = 'interrupted', error_code = 'interrupted', error_message = 'the service stopped'
    where status in ('queued', 'running') and epoch < ${epoch} returning id`
  return rows.length
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
    where status in ('queued', 'running') and epoch = ${epoch} and started_at < ${startedBefore}
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
  const rows = await db.within(workspace)<TurnRow>`
    select id, conversation_id, request_id, is_stream, started_at, status, model, prompt_tokens, completion_tokens,
      is_usage_estimated, finish_reason, error_code, error_message, time_to_first_token_ms, duration_ms
    from turns where workspace_id = ${uuidOf(workspace)} and id < ${before}::uuid order by id desc limit ${page.limit}`
  return rows.map((row) => ({
    id: idFrom('turn', row.id),
    conversationId: row.conversation_id === null ? null : idFrom('conv', row.conversation_id),
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
