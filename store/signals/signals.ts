/** Signals of a workspace: how long turns take, how many fail, which answers are pending. Each query is bounded. */
import type { Database } from '../database.ts'
import { openDispositions } from '../deliveries/deliveries.ts'
import { type ChannelId, firstUuidAt, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'

/** Of the recent turns the newest. */
const recentMax = 5_000

/** The baseline is read in pieces, each with its newest turns: a busy hour does not hide a quiet one. */
const pieces = 24
const pieceMax = 400

/** Deliveries that one count reads. */
const deliveriesMax = 50_000

export interface TurnSignals {
  /** Of completed turns, in milliseconds; null: there were none. */
  medianMs: number | null
  baselineMs: number | null
  completed: number
  baselineCompleted: number
  failed: number
}

export interface Signals {
  turns: TurnSignals
  /** By status, of the deliveries that were created since `span.deliveriesFrom`. */
  dispositions: Map<ChannelId, Record<string, number>>
  /** Answers that have not arrived and are not given up. */
  pending: number
  oldestPendingAt: Date | null
  /** There are more deliveries than were counted. */
  isPartial: boolean
}

export interface SignalSpan {
  /** Turns that were created from here to `recentFrom` are the baseline. */
  baselineFrom: Date
  recentFrom: Date
  deliveriesFrom: Date
}

export function readSignals(db: Database, workspace: WorkspaceId, span: SignalSpan): Promise<Signals> {
  return db.transaction(workspace, async (query) => {
    const turns = await turnSignals(query, workspace, span)
    const dispositions = await countDispositions(query, workspace, span.deliveriesFrom)
    const open = await openDeliveries(query, workspace)
    const counted = [...dispositions.values()].flatMap((counts) => Object.values(counts))
    const isPartial = open.pending >= deliveriesMax || counted.reduce((sum, rows) => sum + rows, 0) >= deliveriesMax
    return { turns, dispositions, ...open, isPartial }
  })
}

async function turnSignals(query: Query, workspace: WorkspaceId, span: SignalSpan): Promise<TurnSignals> {
  const id = uuidOf(workspace)
  const fromMs = span.baselineFrom.getTime()
  const untilMs = span.recentFrom.getTime()
  const bounds = Array.from({ length: pieces + 1 }, (_, at) => fromMs + ((untilMs - fromMs) * at) / pieces).map((ms) =>
    firstUuidAt(Math.round(ms)),
  )
  const [row] = await query<{
    median: number | null
    completed: number
    failed: number
    baseline: number | null
    baseline_completed: number
  }>`
    with recent as materialized (
      select status, duration_ms from turns where workspace_id = ${id}::uuid and id >= ${firstUuidAt(untilMs)}::uuid
      order by id desc limit ${recentMax}
    ), before as materialized (
      select piece_turns.duration_ms
      from unnest(${bounds.slice(0, -1)}::uuid[], ${bounds.slice(1)}::uuid[]) as piece (first_id, end_id)
      cross join lateral (
        select status, duration_ms from turns
        where workspace_id = ${id}::uuid and id >= piece.first_id and id < piece.end_id order by id desc limit ${pieceMax}
      ) as piece_turns
      where piece_turns.status = 'completed' and piece_turns.duration_ms is not null
    )
    select
      (select percentile_cont(0.5) within group (order by duration_ms) from recent where status = 'completed') as median,
      (select count(*)::integer from recent where status = 'completed') as completed,
      (select count(*)::integer from recent where status = 'failed') as failed,
      (select percentile_cont(0.5) within group (order by duration_ms) from before) as baseline,
      (select count(*)::integer from before) as baseline_completed`
  return {
    medianMs: row?.median ?? null,
    baselineMs: row?.baseline ?? null,
    completed: row?.completed ?? 0,
    baselineCompleted: row?.baseline_completed ?? 0,
    failed: row?.failed ?? 0,
  }
}

async function countDispositions(query: Query, workspace: WorkspaceId, from: Date): Promise<Signals['dispositions']> {
  const rows = await query<{ channel_id: string; status: string; rows: number }>`
    select channel_id, status, count(*)::integer as rows from (
      select channel_id, status from deliveries
      where workspace_id = ${uuidOf(workspace)}::uuid and id >= ${firstUuidAt(from.getTime())}::uuid
      order by id desc limit ${deliveriesMax}
    ) as newest group by channel_id, status`
  const dispositions: Signals['dispositions'] = new Map()
  for (const row of rows) {
    const channel = idFrom('chan', row.channel_id)
    dispositions.set(channel, { ...dispositions.get(channel), [row.status]: row.rows })
  }
  return dispositions
}

async function openDeliveries(
  query: Query,
  workspace: WorkspaceId,
): Promise<{ pending: number; oldestPendingAt: Date | null }> {
  const [row] = await query<{ pending: number; oldest: Date | null }>`
    select count(*)::integer as pending, min(created_at) as oldest from (
      select created_at from deliveries
      where channel_id in (select id from channels where workspace_id = ${uuidOf(workspace)}::uuid)
        and status in ${openDispositions}
      limit ${deliveriesMax}
    ) as open`
  return { pending: row?.pending ?? 0, oldestPendingAt: row?.oldest ?? null }
}
