/** Turn records: one row a turn, written in groups at its start and at its end, with its usage. */
import type { Clock } from '../../runtime/time/clock.ts'
import type { Database } from '../database.ts'
import {
  type ApiKeyId,
  type ConversationId,
  firstUuidAt,
  type OperatorId,
  type TurnId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeJson, safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
import {
  endedColumns,
  entryRows,
  insertUnknownUsage,
  insertUsage,
  storedCount,
  sumsOf,
  type UsageEntry,
} from '../usage/entry.ts'
import { isUnqueued } from './origin.ts'
import { openStatuses } from './status.ts'

export interface TurnStart {
  id: TurnId
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  apiKeyId: ApiKeyId | null
  /** Who asks, or whose key it is; absent: no operator. */
  operatorId?: OperatorId | null | undefined
  requestId: string
  model: string
  isStream: boolean
  startedAt: Date
  /** Who answers; none: the model does by itself, or it is not known yet. */
  agent?: string | null
  agentVersion?: number | null | undefined
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
  /** Absent: there is only one. */
  endpoints?: readonly AskedEndpoint[] | undefined
  /** The first one is of the model that gave the answer. Absent: its tokens are one entry, without a price. */
  usage?: readonly UsageEntry[] | undefined
}

/** Never empty: the turn is counted by its first entry. */
export function entriesOf(end: TurnEnd, agent: string | null): readonly UsageEntry[] {
  if (end.usage?.length) return end.usage
  const amounts = { token_in: end.promptTokens, token_out: end.completionTokens }
  const { isUsageEstimated: isEstimated, model } = end
  const one = { agent, agentVersion: null, endpoint: null, modelAsked: null, model, isEstimated, amounts, cost: null }
  return [one]
}

/** A model endpoint that a call of a turn asked. */
export interface AskedEndpoint {
  endpoint: string
  model: string
  /** Of its failure; absent: it answered. */
  code?: string
  /** The HTTP status of its failure. */
  status?: number
  tookMs: number
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

/**
 * Nobody feels it, and at a thousand calls a second most turns of a fast model end before their start is written: one
 * row, one statement and one version in the table where there were two.
 */
const startPaceMs = 4

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

/**
 * One statement for starts and ends. Rows go as one JSON text, half the work of seventeen arrays on our thread, written
 * by hand under names of one letter: PostgreSQL spends a fifth less on them. An update for ends would save nothing: of a
 * table that was never analyzed it reads every row.
 */
async function writeTurns(db: Database, epoch: number, rows: Row[]): Promise<void> {
  await db.hot`
    with input as materialized (
      select * from json_to_recordset(${`[${rows.map(jsonOf).join()}]`}::text::json) as turn (
        a uuid, b uuid, c uuid, d uuid, e text, f boolean, g timestamptz, h text, i text,
        j text, k integer, l integer, m boolean, n text, o text, p text,
        q real, r real, s json, t uuid, u integer, v text, w integer, x integer, y bigint, z text, usage json)
    ), written as (
      insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, is_stream, started_at, status, model,
        agent, prompt_tokens, completion_tokens, is_usage_estimated, finish_reason, error_code, error_message,
        time_to_first_token_ms, duration_ms, endpoints, operator_id, agent_version, endpoint, cached_tokens, reasoning_tokens,
        cost_micro, currency, epoch)
      select a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, ${epoch}::bigint from input
      on conflict (id) do update set
        status = excluded.status, model = excluded.model, prompt_tokens = excluded.prompt_tokens,
        completion_tokens = excluded.completion_tokens, is_usage_estimated = excluded.is_usage_estimated,
        finish_reason = excluded.finish_reason, error_code = excluded.error_code, error_message = excluded.error_message,
        time_to_first_token_ms = excluded.time_to_first_token_ms, duration_ms = excluded.duration_ms,
        endpoints = excluded.endpoints, endpoint = excluded.endpoint, cached_tokens = excluded.cached_tokens,
        reasoning_tokens = excluded.reasoning_tokens, cost_micro = excluded.cost_micro, currency = excluded.currency
      -- One that was closed as interrupted, because its node was taken for dead, stays so.
      where excluded.status <> 'running' and turns.status = 'running' and turns.epoch = excluded.epoch
      returning id, workspace_id, origin, api_key_id, operator_id, channel_id, status, duration_ms, time_to_first_token_ms
    ), ended as (select written.*, input.usage from written join input on input.a = written.id where written.status <> 'running')
    ${usageOfEnded}`
}

/** Once for all statements: they are on the hot path. */
const usageOfEnded = insertUsage(sql`ended`)

/** A row's JSON, under the statement's letters. What is absent is null there. */
function jsonOf({ start, end }: Row): string {
  let json = `{"a":"${uuidOf(start.id)}","b":"${uuidOf(start.workspaceId)}"`
  if (start.conversationId) json += `,"c":"${uuidOf(start.conversationId)}"`
  if (start.apiKeyId) json += `,"d":"${uuidOf(start.apiKeyId)}"`
  json += `,"e":${jsonText(start.requestId)},"f":${start.isStream},"g":"${start.startedAt.toISOString()}"`
  json += `,"h":"${end?.status ?? 'running'}","i":${jsonText(end?.model ?? start.model)}`
  if (start.agent) json += `,"j":${jsonText(start.agent)}`
  if (start.operatorId) json += `,"t":"${uuidOf(start.operatorId)}"`
  if (typeof start.agentVersion === 'number') json += `,"u":${start.agentVersion}`
  return end ? `${json}${jsonOfEnd(end, start.agent ?? null)}}` : `${json}}`
}

function jsonOfEnd(end: TurnEnd, agent: string | null): string {
  const entries = entriesOf(end, agent)
  const { cachedTokens, reasoningTokens, cost } = sumsOf(entries)
  let json = `,"k":${jsonNumber(storedCount(end.promptTokens))},"l":${jsonNumber(storedCount(end.completionTokens))},"m":${end.isUsageEstimated}`
  if (end.finishReason !== null) json += `,"n":${jsonText(end.finishReason)}`
  if (end.errorCode !== null) json += `,"o":${jsonText(end.errorCode)}`
  if (end.errorMessage !== null) json += `,"p":${jsonText(end.errorMessage.slice(0, 2_000))}`
  if (end.timeToFirstTokenMs !== null) json += `,"q":${jsonNumber(end.timeToFirstTokenMs)}`
  if (end.endpoints) json += `,"s":${safeJson(end.endpoints)}`
  if (entries[0]?.endpoint) json += `,"v":${jsonText(entries[0].endpoint)}`
  json += `,"w":${cachedTokens},"x":${reasoningTokens}`
  if (cost) json += `,"y":${cost.microUnits},"z":"${cost.currency}"`
  return `${json},"r":${jsonNumber(end.durationMs)},"usage":${JSON.stringify(entryRows(entries))}`
}

function jsonText(text: string): string {
  return JSON.stringify(safeText(text))
}

/** NaN and infinities have no JSON. */
function jsonNumber(number: number): string {
  return Number.isFinite(number) ? `${number}` : 'null'
}

/**
 * Closes turns of this start that no longer run here, as their record could not be closed when they ended: those that began
 * before `startedBefore`, and of younger ones the `lost`.
 */
export async function interruptLostTurns(
  db: Database,
  node: number,
  { running, startedBefore, lost = [] }: { running: readonly TurnId[]; startedBefore: Date; lost?: readonly TurnId[] },
): Promise<number> {
  const [row] = await db.system<{ turns: number }>`
    with ended as (
      update turns set status = 'interrupted', error_code = 'interrupted', error_message = 'the end was not recorded',
        is_usage_unknown = true
      where status = 'running' and ${isUnqueued} and epoch = ${node}
        and (started_at < ${startedBefore} or id = any(${lost.map(uuidOf)}::uuid[])) and not id = any(${running.map(uuidOf)}::uuid[]) returning ${endedColumns}
    ), entry as (${insertUnknownUsage(sql`ended`, sql`true`)})
    select count(*)::integer as turns from ended`
  return row?.turns ?? 0
}

/** The records of calls without a stored conversation that began before `before`, oldest first, at most `limit`. @returns how many */
export async function deleteCalls(db: Database, held: HeldKey, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`
    with gone as (
      delete from turns where id in (
        select id from turns
        where ${isHeld(held)} and id < ${firstUuidAt(before.getTime())}::uuid and conversation_id is null and status not in ${openStatuses}
        order by id limit ${limit})
      returning id
    )
    select count(*)::integer as deleted from gone`
  return row?.deleted ?? 0
}
