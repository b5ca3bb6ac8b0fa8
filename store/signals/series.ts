/** Turns and deliveries of a workspace over time, in equal pieces; each piece reads its newest rows, so that the cost is bounded. */
import type { Database } from '../database.ts'
import { firstUuidAt, uuidOf, type WorkspaceId } from '../id.ts'

/** Rows of each kind that one piece reads: the newest. */
export const pieceRowsMax = 2_000

export interface SeriesSpan {
  /** Of the first piece, in milliseconds since the epoch. */
  fromMs: number
  pieceMs: number
  pieces: number
}

export interface SeriesPoint {
  fromMs: number
  /** Turns that were created in this time and completed. */
  completed: number
  failed: number
  /** Of completed turns; null: there were none. */
  medianMs: number | null
  p95Ms: number | null
  p99Ms: number | null
  /** The median of completed turns that were streamed. */
  firstTokenMs: number | null
  tokensIn: number
  tokensOut: number
  /** Deliveries that were created in this time, by their present status. */
  deliveries: Record<string, number>
  /** There were more rows than were read. */
  isPartial: boolean
  areDeliveriesPartial: boolean
}

interface Row {
  completed: number
  failed: number
  /** The median, the 95th and the 99th percentile. */
  durations: number[] | null
  first_token: number | null
  tokens_in: number
  tokens_out: number
  turns: number
  deliveries_read: number
  deliveries: Record<string, number> | null
}

export async function readSeries(
  db: Database,
  workspace: WorkspaceId,
  { fromMs, pieceMs, pieces }: SeriesSpan,
  rowsMax = pieceRowsMax,
): Promise<SeriesPoint[]> {
  const id = uuidOf(workspace)
  const startsMs = Array.from({ length: pieces }, (_, at) => fromMs + at * pieceMs)
  const firsts = startsMs.map((ms) => firstUuidAt(ms))
  const ends = startsMs.map((ms) => firstUuidAt(ms + pieceMs))
  const rows = await db.forWorkspace(workspace)<Row>`
    select turn_counts.completed, turn_counts.failed, turn_counts.durations, turn_counts.first_token, turn_counts.tokens_in,
      turn_counts.tokens_out, turn_counts.turns, delivery_counts.deliveries_read, delivery_counts.deliveries
    from unnest(${firsts}::uuid[], ${ends}::uuid[]) with ordinality as piece (first_id, end_id, at)
    cross join lateral (
      select count(*)::integer as turns, (count(*) filter (where status = 'completed'))::integer as completed,
        (count(*) filter (where status = 'failed'))::integer as failed,
        percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration_ms) filter (where status = 'completed') as durations,
        percentile_cont(0.5) within group (order by time_to_first_token_ms) filter (where status = 'completed') as first_token,
        coalesce(sum(prompt_tokens), 0)::float8 as tokens_in, coalesce(sum(completion_tokens), 0)::float8 as tokens_out
      from (
        select status, duration_ms, time_to_first_token_ms, prompt_tokens, completion_tokens from turns
        where workspace_id = ${id}::uuid and id >= piece.first_id and id < piece.end_id order by id desc limit ${rowsMax}
      ) as newest
    ) as turn_counts
    cross join lateral (
      select coalesce(sum(rows), 0)::integer as deliveries_read, json_object_agg(status, rows) as deliveries from (
        select status, count(*)::integer as rows from (
          select status from deliveries
          where workspace_id = ${id}::uuid and id >= piece.first_id and id < piece.end_id order by id desc limit ${rowsMax}
        ) as newest group by status
      ) as counted
    ) as delivery_counts
    order by piece.at`
  return rows.map((row, at) => ({
    fromMs: fromMs + at * pieceMs,
    completed: row.completed,
    failed: row.failed,
    medianMs: row.durations?.[0] ?? null,
    p95Ms: row.durations?.[1] ?? null,
    p99Ms: row.durations?.[2] ?? null,
    firstTokenMs: row.first_token,
    tokensIn: row.tokens_in,
    tokensOut: row.tokens_out,
    deliveries: row.deliveries ?? {},
    isPartial: row.turns >= rowsMax || row.deliveries_read >= rowsMax,
    areDeliveriesPartial: row.deliveries_read >= rowsMax,
  }))
}
