/**
 * The journal of an agent's turn: its model calls and tool calls, in order. A tool call is written before it begins and
 * closed after it, so that a turn that is repeated after a crash knows what was done already.
 */

import { Refusal } from '../../runtime/actor/errors.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ConversationId, firstUuidAt, idFrom, type RowOf, type TurnId, uuidOf, type WorkspaceId } from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { fitting, type OfPage, pageOf } from '../postgres/fitting.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import { openStatuses } from './status.ts'

export type StepKind = 'model' | 'tool'

/** unknown: a call that may be made only once was cut short by a crash; whether it took effect is not known here. */
export type StepStatus = 'waiting' | 'started' | 'succeeded' | 'failed' | 'unknown'

/** Where in the turn: its path (empty: the main loop) and the number in it. */
export interface StepPlace {
  turnId: TurnId
  path: string
  n: number
}

export interface Step extends StepPlace {
  workspaceId: WorkspaceId
  /** Null: no stored conversation, and so nobody who follows its events. */
  conversationId: ConversationId | null
  kind: StepKind
  status: StepStatus
  /** The model or the tool. */
  name: string
  callId: string | null
  /** 32 hexadecimal digits of the name and the request: a repeated step must have the same. */
  digest: string
  request: unknown
  result: unknown
  promptTokens: number | null
  completionTokens: number | null
  errorCode: string | null
  startedAt: Date
  durationMs: number | null
}

/** The turn runs elsewhere by now, or has ended: nothing of it is written here any more. */
export class TurnMoved extends Refusal {
  constructor() {
    super('turn_moved', 'The turn no longer runs on this node.')
  }
}

export interface StepWriter {
  /**
   * Resolves after the commit of all of them. Writing a step again changes it, as long as it is not closed.
   * @param lease under which the turn of the steps runs; null: it belongs to no conversation
   * @throws TurnMoved, and nothing was written; BatchFull, DatabaseDown
   */
  write(lease: number | null, ...steps: readonly Step[]): Promise<void>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 2, waitingMax: 20_000 }

/** Steps of one turn. */
interface StepGroup {
  lease: number | null
  steps: readonly Step[]
}

export function stepWriter(db: Database, node: number): StepWriter {
  const batch = databaseBatch(async (groups: StepGroup[]) => {
    // A statement changes a row only once: of several writes of one step the last counts.
    const rows = new Map<string, object>()
    for (const { lease, steps } of groups) {
      for (const step of steps) rows.set(`${step.turnId} ${step.path} ${step.n}`, columnsOf(step, lease))
    }
    const moved = await writeSteps(db, node, [...rows.values()])
    return groups.map(({ steps }) => steps.some(({ turnId }) => moved.has(turnId)))
  }, limits)
  return {
    async write(lease, ...steps) {
      if (await batch.add({ lease, steps })) throw new TurnMoved()
    },
    close: () => batch.close(),
  }
}

/** Tool calls of stored conversations are events as well: a watcher sees what its agent does. */
const toolSteps = insertEvents(
  sql`'step.' || status`,
  sql`kept as input
    where (turn, path, n) in (select turn_id, path, n from written)
      and input.kind = 'tool' and (conversation is not null or input.status = 'unknown')
    order by turn, path, n`,
  {
    workspaceId: sql`workspace`,
    conversationId: sql`conversation`,
    channelId: sql`(select channel_id from turns where turns.id = input.turn)`,
    subject: sql`turn`,
    payload: sql`json_build_object('turn_id', 'turn_' || replace(turn::text, '-', ''), 'path', path, 'n', n, 'name', name,
      'call_id', call_id, 'error_code', error_code, 'duration_ms', duration_ms)`,
  },
)

/**
 * A turn that another node took over holds its row while it does so: what is written here was written before, and is seen
 * there. @returns the turns of which nothing was written
 */
async function writeSteps(db: Database, node: number, rows: object[]): Promise<Set<TurnId>> {
  const moved = await db.hot<{ turn: string }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
        turn uuid, lease bigint, path text, n integer, workspace uuid, conversation uuid, kind text, status text, name text, call_id text,
        digest uuid, request text, result text, prompt_tokens integer, completion_tokens integer, error_code text,
        started_at timestamptz, duration_ms real)
    ), held as materialized (
      select id from turns join (select distinct turn, lease from input) as turn on turn.turn = turns.id
      where turns.epoch = ${node}::bigint and turns.lease_epoch is not distinct from turn.lease
      order by id for share of turns
    ), moved as materialized (
      -- The row of a call of its own may come later than its first step.
      select distinct turn from input
      where turn not in (select id from held) and exists (select from turns where id = input.turn)
    ), kept as materialized (
      select * from input where turn not in (select turn from moved)
    ), written as (
      insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, call_id, digest, request, result,
        prompt_tokens, completion_tokens, error_code, started_at, duration_ms)
      select turn, path, n, workspace, kind, status, name, call_id, digest, request::json, result::json,
        prompt_tokens, completion_tokens, error_code, started_at, duration_ms
      from kept order by turn, path, n
      on conflict (turn_id, path, n) do update set
        status = excluded.status, result = excluded.result, prompt_tokens = excluded.prompt_tokens,
        completion_tokens = excluded.completion_tokens, error_code = excluded.error_code,
        started_at = excluded.started_at, duration_ms = excluded.duration_ms
      where turn_steps.status in ('waiting', 'started')
      returning turn_id, path, n
    ), event as (${toolSteps})
    select turn from moved`
  return new Set(moved.map(({ turn }) => idFrom('turn', turn)))
}

function columnsOf(step: Step, lease: number | null): object {
  return {
    turn: uuidOf(step.turnId),
    ...(lease !== null && { lease }),
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

/** Of one turn: its journal takes no more, so that a journal is always read whole. */
export const stepsMax = 20_000

const columns = sql`turn_id as "turnId", path, n, turn_steps.workspace_id as "workspaceId",
  turns.conversation_id as "conversationId", kind, turn_steps.status, name, call_id as "callId",
  replace(digest::text, '-', '') as digest, request, result, turn_steps.prompt_tokens as "promptTokens",
  turn_steps.completion_tokens as "completionTokens", turn_steps.error_code as "errorCode",
  turn_steps.started_at as "startedAt", turn_steps.duration_ms as "durationMs"`

const table = sql`turn_steps left join turns on turns.id = turn_steps.turn_id`

/** For `fitting`. */
const stepBytes = sql`coalesce(octet_length(request::text), 0) + coalesce(octet_length(result::text), 0) as page_bytes`

/** The whole journal of a turn. */
export async function stepsOf(db: Database, workspace: WorkspaceId, turn: TurnId): Promise<Step[]> {
  const rows = await db.forWorkspace(workspace)<RowOf<Step>>`
    select ${columns} from ${table} where turn_id = ${uuidOf(turn)} order by path, n limit ${stepsMax}`
  return rows.map(stepOf)
}

/** The steps of a turn in the order in which they began, from `offset` on. */
export async function listSteps(
  db: Database,
  workspace: WorkspaceId,
  turn: TurnId,
  page: { offset: number; limit: number },
): Promise<{ steps: Step[]; isMore: boolean }> {
  const order = sql`started_at, path, n`
  const found = sql`
    select *, ${stepBytes} from turn_steps where turn_id = ${uuidOf(turn)} order by ${order} offset ${page.offset} limit ${page.limit + 1}`
  const read = await db.forWorkspace(workspace)<RowOf<Step> & OfPage>`
    select ${columns}, page_rows from ${fitting(found, order)} as turn_steps left join turns on turns.id = turn_steps.turn_id
    order by turn_steps.started_at, path, n`
  const { rows, isMore } = pageOf(read, page.limit)
  return { steps: rows.map(stepOf), isMore }
}

/** Tool calls of which it is not known whether they took effect, newest first; as many as fit. */
export async function unknownSteps(db: Database, workspace: WorkspaceId, limit: number): Promise<Step[]> {
  const found = sql`
    select *, ${stepBytes} from turn_steps where workspace_id = ${uuidOf(workspace)} and status = 'unknown'
    order by started_at desc limit ${limit}`
  const rows = await db.forWorkspace(workspace)<RowOf<Step>>`
    select ${columns} from ${fitting(found, sql`started_at desc`)} as turn_steps left join turns on turns.id = turn_steps.turn_id
    order by turn_steps.started_at desc`
  return rows.map(stepOf)
}

function stepOf({ page_rows: _, ...row }: RowOf<Step> & Partial<OfPage>): Step {
  return {
    ...row,
    turnId: idFrom('turn', row.turnId),
    workspaceId: idFrom('ws', row.workspaceId),
    conversationId: idFrom('conv', row.conversationId),
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

/** An operator decides the outcome of a call that is unknown. False: there is no such call. */
export async function resolveStep(
  db: Database,
  actor: AuditActor,
  { turnId, path, n }: StepPlace,
  outcome: 'succeeded' | 'failed',
  note: string,
): Promise<boolean> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const [row] = await query<{ name: string }>`
      update turn_steps set status = ${outcome}
      where turn_id = ${uuidOf(turnId)} and path = ${safeText(path)} and n = ${n} and status = 'unknown'
      returning name`
    if (!row) return false
    const before = { status: 'unknown' }
    const after = { status: outcome, path, n, tool: row.name }
    await writeAudit(query, {
      actor,
      action: 'effect.resolve',
      target: turnId,
      before,
      after: { ...after, note },
      summary: { before, after },
    })
    return true
  })
}

/**
 * Deletes steps of turns that were made before `before`, the oldest first, at most `limit`. Those of turns that have not
 * ended stay, and so do calls whose outcome is unknown.
 * @returns how many
 */
export async function deleteSteps(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`
    with deleted as (
      delete from turn_steps where (turn_id, path, n) in (
        select turn_id, path, n from turn_steps
        where ${isHeld(held)} and turn_id < ${firstUuidAt(before.getTime())}::uuid and status <> 'unknown' and not exists (
          select from turns where turns.id = turn_steps.turn_id and turns.status in ${openStatuses})
        order by turn_id limit ${limit})
      returning n
    )
    select count(*)::integer as deleted from deleted`
  return row?.deleted ?? 0
}
