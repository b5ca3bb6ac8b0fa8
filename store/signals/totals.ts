/** The turns of one time as a whole: how many, how many failed, how long they took; of the newest where there are many. */
import type { Database } from '../database.ts'
import { firstUuidAt, uuidOf, type WorkspaceId } from '../id.ts'

/** Turns that one time reads: about 50 ms of the database's time. */
export const totalRowsMax = 50_000

export interface TurnTotals {
  turns: number
  completed: number
  failed: number
  /** Of completed turns; null: there were none. */
  p50Ms: number | null
  p95Ms: number | null
  p99Ms: number | null
  /** Of completed turns that were streamed. */
  firstTokenP50Ms: number | null
  firstTokenP95Ms: number | null
  /** There were more turns than were read. */
  isPartial: boolean
}

export async function readTotals(
  db: Database,
  workspace: WorkspaceId,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  rowsMax = totalRowsMax,
): Promise<TurnTotals> {
  const [row] = await db.forWorkspace(workspace)<{
    turns: number
    completed: number
    failed: number
    durations: number[] | null
    first_tokens: number[] | null
  }>`
    select count(*)::integer as turns, (count(*) filter (where status = 'completed'))::integer as completed,
      (count(*) filter (where status = 'failed'))::integer as failed,
      percentile_cont(array[0.5, 0.95, 0.99]) within group (order by duration_ms) filter (where status = 'completed') as durations,
      percentile_cont(array[0.5, 0.95]) within group (order by time_to_first_token_ms) filter (where status = 'completed') as first_tokens
    from (
      select status, duration_ms, time_to_first_token_ms from turns
      where workspace_id = ${uuidOf(workspace)}::uuid and id >= ${firstUuidAt(fromMs)}::uuid and id < ${firstUuidAt(untilMs)}::uuid
      order by id desc limit ${rowsMax}
    ) as newest`
  const [p50, p95, p99] = row?.durations ?? []
  const [firstTokenP50, firstTokenP95] = row?.first_tokens ?? []
  return {
    turns: row?.turns ?? 0,
    completed: row?.completed ?? 0,
    failed: row?.failed ?? 0,
    p50Ms: p50 ?? null,
    p95Ms: p95 ?? null,
    p99Ms: p99 ?? null,
    firstTokenP50Ms: firstTokenP50 ?? null,
    firstTokenP95Ms: firstTokenP95 ?? null,
    isPartial: (row?.turns ?? 0) >= rowsMax,
  }
}
