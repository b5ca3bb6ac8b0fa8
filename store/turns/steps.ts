/**
 * The steps of an agent's turn: model calls and tool calls, in the order of their making. A tool call is written before it
 * begins and closed after it, so that a turn that is begun again after a crash knows what was done already.
 */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'

export type StepKind = 'model' | 'tool'

/** unknown: a call that may be made once only was cut short by a crash; whether it took effect only the outside knows. */
export type StepStatus = 'waiting' | 'started' | 'succeeded' | 'failed' | 'unknown'

/** Where in the turn: its path (empty: the main loop) and the number in it. */
export interface StepPlace {
  turnId: TurnId
  path: string
  n: number
}

export interface Step extends StepPlace {
  workspaceId: WorkspaceId
  /** Null: no stored conversation, so that nobody follows its events. */
  conversationId: ConversationId | null
  kind: StepKind
  status: StepStatus
  /** The model or the tool. */
  name: string
  callId: string | null
  /** 32 hexadecimal digits of the name and what it was asked: a repeated step must be this one. */
  digest: string
  request: unknown
  result: unknown
  promptTokens: number | null
  completionTokens: number | null
  errorCode: string | null
  startedAt: Date
  durationMs: number | null
}

export interface StepWriter {
  /**
   * Resolves after the commit, which has all of them or none. Writing a step again changes it, as long as it is not closed.
   * @throws BatchFull, DatabaseDown
   */
  write(...steps: readonly Step[]): Promise<void>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 2, waitingMax: 20_000 }

export function stepWriter(db: Database): StepWriter {
  const batch = databaseBatch(async (groups: (readonly Step[])[]) => {
    // A statement changes a row once: of several writes of one step the last counts.
    const last = new Map(groups.flat().map((step) => [`${step.turnId} ${step.path} ${step.n}`, step]))
    await writeSteps(db, [...last.values()])
    return groups.map(() => undefined)
  }, limits)
  return { write: (...steps) => batch.add(steps), close: () => batch.close() }
}

/** Tool calls of stored conversations are events as well: a watcher sees what its agent does. */
async function writeSteps(db: Database, rows: Step[]): Promise<void> {
  await db.hot`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(columnsOf))}::text::json) as input (
        turn uuid, path text, n integer, workspace uuid, conversation uuid, kind text, status text, name text, call_id text,
        digest uuid, request text, result text, prompt_tokens integer, completion_tokens integer, error_code text,
        started_at timestamptz, duration_ms real)
    ), written as (
      insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, call_id, digest, request, result,
        prompt_tokens, completion_tokens, error_code, started_at, duration_ms)
      select turn, path, n, workspace, kind, status, name, call_id, digest, request::json, result::json,
        prompt_tokens, completion_tokens, error_code, started_at, duration_ms
      from input order by turn, path, n
      on conflict (turn_id, path, n) do update set
        status = excluded.status, result = excluded.result, prompt_tokens = excluded.prompt_tokens,
        completion_tokens = excluded.completion_tokens, error_code = excluded.error_code,
        started_at = excluded.started_at, duration_ms = excluded.duration_ms
      where turn_steps.status in ('waiting', 'started')
      returning turn_id, path, n
    )
    insert into events (workspace_id, kind, conversation_id, channel_id, subject, payload)
    select workspace, 'step.' || status, conversation, (select channel_id from turns where turns.id = input.turn), turn,
      json_build_object('turn_id', 'turn_' || replace(turn::text, '-', ''), 'path', path, 'n', n, 'name', name, 'call_id', call_id, 'error_code', error_code, 'duration_ms', duration_ms)
    from input
    where (turn, path, n) in (select turn_id, path, n from written)
      and input.kind = 'tool' and (conversation is not null or input.status = 'unknown')
    order by turn, path, n`
}

function columnsOf(step: Step): object {
  return {
    turn: uuidOf(step.turnId),
    path: safeText(step.path),
    n: step.n,
    workspace: uuidOf(step.workspaceId),
    conversation: step.conversationId && uuidOf(step.conversationId),
    kind: step.kind,
    status: step.status,
    name: safeText(step.name),
    call_id: step.callId && safeText(step.callId),
    digest: step.digest,
    request: step.request === undefined ? null : safeJson(step.request),
    result: step.result === undefined ? null : safeJson(step.result),
    prompt_tokens: step.promptTokens,
    completion_tokens: step.completionTokens,
    error_code: step.errorCode && safeText(step.errorCode),
    started_at: step.startedAt,
    duration_ms: step.durationMs,
  }
}

/** Of one turn: its journal takes no more, so that what is read of them is always all. */
export const stepsMax = 20_000

interface StepRow {
  turn_id: string
  path: string
  n: number
  workspace_id: string
  conversation_id: string | null
  kind: StepKind
  status: StepStatus
  name: string
  call_id: string | null
  digest: string
  request: unknown
  result: unknown
  prompt_tokens: number | null
  completion_tokens: number | null
  error_code: string | null
  started_at: Date
  duration_ms: number | null
}

/** What an earlier try of the turn has done, at most `stepsMax`. */
export async function stepsOf(db: Database, workspace: WorkspaceId, turn: TurnId): Promise<Step[]> {
  const rows = await db.forWorkspace(workspace)<StepRow>`
    select turn_id, path, n, turn_steps.workspace_id, turns.conversation_id, kind, turn_steps.status, name, call_id, digest, request, result,
      turn_steps.prompt_tokens, turn_steps.completion_tokens, turn_steps.error_code, turn_steps.started_at, turn_steps.duration_ms
    from turn_steps left join turns on turns.id = turn_steps.turn_id
    where turn_id = ${uuidOf(turn)} order by path, n limit ${stepsMax}`
  return rows.map(stepOf)
}

/** The steps of one turn of this workspace in the order in which they began, from `offset` on. */
export async function listSteps(
  db: Database,
  workspace: WorkspaceId,
  turn: TurnId,
  page: { offset: number; limit: number },
): Promise<Step[]> {
  const rows = await db.forWorkspace(workspace)<StepRow>`
    select turn_id, path, n, turn_steps.workspace_id, turns.conversation_id, kind, turn_steps.status, name, call_id, digest, request, result,
      turn_steps.prompt_tokens, turn_steps.completion_tokens, turn_steps.error_code, turn_steps.started_at, turn_steps.duration_ms
    from turn_steps left join turns on turns.id = turn_steps.turn_id
    where turn_id = ${uuidOf(turn)} order by turn_steps.started_at, path, n offset ${page.offset} limit ${page.limit}`
  return rows.map(stepOf)
}

/** Tool calls of which nobody knows whether they took effect, newest first. */
export async function unknownSteps(db: Database, workspace: WorkspaceId, limit: number): Promise<Step[]> {
  const rows = await db.forWorkspace(workspace)<StepRow>`
    select turn_id, path, n, turn_steps.workspace_id, turns.conversation_id, kind, turn_steps.status, name, call_id, digest, request, result,
      turn_steps.prompt_tokens, turn_steps.completion_tokens, turn_steps.error_code, turn_steps.started_at, turn_steps.duration_ms
    from turn_steps left join turns on turns.id = turn_steps.turn_id
    where turn_steps.workspace_id = ${uuidOf(workspace)} and turn_steps.status = 'unknown'
    order by turn_steps.started_at desc limit ${limit}`
  return rows.map(stepOf)
}

function stepOf(row: StepRow): Step {
  return {
    turnId: idFrom('turn', row.turn_id),
    path: row.path,
    n: row.n,
    workspaceId: idFrom('ws', row.workspace_id),
    conversationId: idFrom('conv', row.conversation_id),
    kind: row.kind,
    status: row.status,
    name: row.name,
    callId: row.call_id,
    digest: row.digest.replaceAll('-', ''),
    request: row.request,
    result: row.result,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    errorCode: row.error_code,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
  }
}

/** What a tool call of the turn returned, in full; of several with this id the last one's. */
export async function resultOfCall(
  db: Database,
  workspace: WorkspaceId,
  turn: TurnId,
  callId: string,
): Promise<unknown> {
  const [row] = await db.forWorkspace(workspace)<{ result: unknown }>`
    select result from turn_steps
    where turn_id = ${uuidOf(turn)} and kind = 'tool' and call_id = ${safeText(callId)} and result is not null
    order by started_at desc limit 1`
  return row?.result
}

/** An operator says what became of a call whose effect was not known. False: there is none. */
export async function resolveStep(
  db: Database,
  actor: AuditActor,
  { turnId, path, n }: StepPlace,
  outcome: 'succeeded' | 'failed',
  note: string,
): Promise<boolean> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const rows = await query<{ name: string }>`
      update turn_steps set status = ${outcome}
      where turn_id = ${uuidOf(turnId)} and path = ${safeText(path)} and n = ${n} and status = 'unknown'
      returning name`
    const [row] = rows
    if (!row) return false
    await writeAudit(query, {
      ...{ actor, action: 'effect.resolve', target: turnId, before: { status: 'unknown' } },
      after: { status: outcome, path, n, tool: row.name, note },
      summary: { before: { status: 'unknown' }, after: { status: outcome, path, n, tool: row.name } },
    })
    return true
  })
}

/**
 * Deletes steps of turns that began before `before`, the oldest first, at most `limit`. Those of turns that are still open
 * stay, and so do calls of which nobody has said yet what became of them.
 * @returns how many went
 */
export async function deleteSteps(db: Database, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`
    with gone as (
      delete from turn_steps where (turn_id, path, n) in (
        select turn_id, path, n from turn_steps
        where turn_id < ${firstIdOf(before)}::uuid and status <> 'unknown' and not exists (
          select from turns where turns.id = turn_steps.turn_id and turns.status in ('queued', 'running', 'waiting'))
        order by turn_id limit ${limit})
      returning n
    )
    select count(*)::integer as deleted from gone`
  return row?.deleted ?? 0
}

/** Identifiers begin with the millisecond in which they were made: the key itself finds what is old. */
function firstIdOf(time: Date): string {
  const digits = time.getTime().toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
