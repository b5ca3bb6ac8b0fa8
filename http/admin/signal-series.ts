/** `GET /v1/admin/signals/series`: the signals over time, for plots, and the turns of the whole time beside those before. */
import { z } from 'zod'
import { Disposition } from '../../store/deliveries/deliveries.ts'
import { readLongSeries, readLongTotals } from '../../store/signals/long-series.ts'
import { pieceRowsMax, readSeries } from '../../store/signals/series.ts'
import { readTotals, type TurnTotals, totalRowsMax } from '../../store/signals/totals.ts'
import { admin } from '../access.ts'
import { route } from '../route.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long a piece is in the last hour, six hours, day, week, and thirty days. */
const pieceMsOf = {
  60: minuteMs,
  360: 5 * minuteMs,
  1440: 15 * minuteMs,
  10080: 2 * hourMs,
  43200: 12 * hourMs,
} as const

/** From here on turns are read from the sums of usage. */
const longMinutes = 10_080

const Ms = z.number().nullable()

const Totals = z.object({
  from: z.iso.datetime(),
  until: z.iso.datetime(),
  turns: z.int(),
  completed: z.int(),
  failed: z.int(),
  p50_ms: Ms.describe('Of the completed turns; null: none.'),
  p95_ms: Ms,
  p99_ms: Ms,
  first_token_p50_ms: Ms.describe('Of completed turns that were streamed.'),
  first_token_p95_ms: Ms,
  is_partial: z.boolean().describe(`Only the newest ${totalRowsMax} were counted.`),
})

export const signalSeries = route({
  method: 'GET',
  path: '/v1/admin/signals/series',
  summary: 'Latency, errors and deliveries over time',
  description:
    'The last hour by minutes, six hours by five minutes, a day by quarters of an hour, a week by two hours, thirty days by ' +
    'twelve; the last point is still growing. In a week and in thirty days turns count by when they ended, and percentiles ' +
    'are right within five percent.',
  tag: 'overview',
  access: admin('overview.read'),
  query: z.object({ minutes: z.enum(['60', '360', '1440', '10080', '43200']).default('60') }),
  answers: {
    200: z.object({
      piece_ms: z.int(),
      totals: Totals.describe('Of the whole time, up to now.'),
      totals_before: Totals.describe('A day earlier, or of the time before where it is longer than a day.'),
      points: z.array(
        z.object({
          from: z.iso.datetime(),
          completed: z.int().describe('Turns begun in this time.'),
          failed: z.int(),
          median_ms: Ms.describe('Of the completed turns; null: none.'),
          p95_ms: Ms,
          p99_ms: Ms,
          first_token_ms: Ms.describe('The median of completed turns that were streamed.'),
          tokens_in: z.int(),
          tokens_out: z.int(),
          deliveries: z.record(Disposition, z.int()).describe('Created in this time, by present status.'),
          is_partial: z.boolean().describe(`Only the newest ${pieceRowsMax} were counted.`),
        }),
      ),
    }),
  },
  async handle({ app, principal, query }) {
    const { db } = app
    const { workspaceId } = principal
    const nowMs = app.clock.now()
    const minutes = Number(query.minutes) as keyof typeof pieceMsOf
    const pieceMs = pieceMsOf[minutes]
    const spanMs = minutes * minuteMs
    const isLong = minutes >= longMinutes
    // Whole pieces, so that a point has the same time in every answer.
    const endMs = (Math.floor(nowMs / pieceMs) + 1) * pieceMs
    const span = { fromMs: endMs - spanMs, pieceMs, pieces: spanMs / pieceMs }
    const untilMs = isLong ? (Math.floor(nowMs / hourMs) + 1) * hourMs : nowMs
    const totalsOf = (agoMs: number) => {
      const window = { fromMs: untilMs - spanMs - agoMs, untilMs: untilMs - agoMs }
      const totals = isLong ? readLongTotals(db, workspaceId, window) : readTotals(db, workspaceId, window)
      return totals.then((read) => totalsView(window, read))
    }
    const [points, longPoints, totals, before] = await Promise.all([
      readSeries(db, workspaceId, span),
      isLong ? readLongSeries(db, workspaceId, span) : undefined,
      totalsOf(0),
      totalsOf(Math.max(spanMs, dayMs)),
    ])
    return {
      piece_ms: pieceMs,
      totals,
      totals_before: before,
      points: points.map((read, at) => {
        const point = { ...read, ...longPoints?.[at] }
        return {
          from: new Date(point.fromMs).toISOString(),
          completed: point.completed,
          failed: point.failed,
          median_ms: point.medianMs,
          p95_ms: point.p95Ms,
          p99_ms: point.p99Ms,
          first_token_ms: point.firstTokenMs,
          tokens_in: point.tokensIn,
          tokens_out: point.tokensOut,
          deliveries: Object.fromEntries(Disposition.options.map((status) => [status, point.deliveries[status] ?? 0])),
          is_partial: isLong ? read.areDeliveriesPartial : read.isPartial,
        }
      }),
    }
  },
})

function totalsView({ fromMs, untilMs }: { fromMs: number; untilMs: number }, totals: TurnTotals) {
  return {
    from: new Date(fromMs).toISOString(),
    until: new Date(untilMs).toISOString(),
    turns: totals.turns,
    completed: totals.completed,
    failed: totals.failed,
    p50_ms: totals.p50Ms,
    p95_ms: totals.p95Ms,
    p99_ms: totals.p99Ms,
    first_token_p50_ms: totals.firstTokenP50Ms,
    first_token_p95_ms: totals.firstTokenP95Ms,
    is_partial: totals.isPartial,
  }
}
