/** Turns of a workspace over days, from the sums of usage by hour: all of them are counted, however many there are. */
import type { Database } from '../database.ts'
import type { WorkspaceId } from '../id.ts'
import { originsInView } from '../turns/origin.ts'
import { readUsage, totalOf, type UsageSums, type UsageWindow } from '../usage/analytics.ts'
import { durations, firstTokens } from '../usage/buckets.ts'
import type { SeriesPoint, SeriesSpan } from './series.ts'
import type { TurnTotals } from './totals.ts'

type TurnPoint = Omit<SeriesPoint, 'fromMs' | 'deliveries' | 'isPartial' | 'areDeliveriesPartial'>

/** @param span with pieces of whole hours */
export async function readLongSeries(
  db: Database,
  workspace: WorkspaceId,
  { fromMs, pieceMs, pieces }: SeriesSpan,
): Promise<TurnPoint[]> {
  const window = { fromMs, untilMs: fromMs + pieces * pieceMs }
  const hours = await readUsage(db, { workspace, window, groupBy: 'none', origins: originsInView, every: 'hour' })
  const byPiece = Map.groupBy(hours, ({ atMs }) => Math.floor(((atMs ?? 0) - fromMs) / pieceMs))
  return Array.from({ length: pieces }, (_, at) => pointOf(totalOf(byPiece.get(at) ?? [])))
}

function pointOf(sums: UsageSums): TurnPoint {
  const { p50, p95, p99 } = durations(sums.times)
  return {
    completed: completedOf(sums),
    failed: sums.failed,
    medianMs: p50,
    p95Ms: p95,
    p99Ms: p99,
    firstTokenMs: firstTokens(sums.times).p50,
    tokensIn: sums.token_in,
    tokensOut: sums.token_out,
  }
}

/** @param window whole hours */
export async function readLongTotals(db: Database, workspace: WorkspaceId, window: UsageWindow): Promise<TurnTotals> {
  const sums = totalOf(await readUsage(db, { workspace, window, groupBy: 'none', origins: originsInView }))
  const all = durations(sums.times)
  const first = firstTokens(sums.times)
  return {
    turns: sums.turns,
    completed: completedOf(sums),
    failed: sums.failed,
    p50Ms: all.p50,
    p95Ms: all.p95,
    p99Ms: all.p99,
    firstTokenP50Ms: first.p50,
    firstTokenP95Ms: first.p95,
    isPartial: false,
  }
}

const completedOf = ({ turns, failed, cancelled, interrupted }: UsageSums): number =>
  turns - failed - cancelled - interrupted
