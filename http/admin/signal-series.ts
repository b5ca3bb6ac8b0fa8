/** `GET /v1/admin/signals/series`: the signals over time, for plots. */
import { z } from 'zod'
import { Disposition } from '../../store/deliveries/deliveries.ts'
import { pieceRowsMax, readSeries } from '../../store/signals/series.ts'
import { admin } from '../access.ts'
import { route } from '../route.ts'

const minuteMs = 60_000

/** One point a minute for the last hour, one a quarter of an hour for the last day. */
const pieceMsOf = { 60: minuteMs, 1440: 15 * minuteMs } as const

export const signalSeries = route({
  method: 'GET',
  path: '/v1/admin/signals/series',
  summary: 'Latency, errors and deliveries over time',
  description: 'The last hour by minutes, or the last day by quarters of an hour; the last point is still growing.',
  tag: 'overview',
  access: admin('overview.read'),
  query: z.object({ minutes: z.enum(['60', '1440']).default('60') }),
  answers: {
    200: z.object({
      piece_ms: z.int(),
      points: z.array(
        z.object({
          from: z.iso.datetime(),
          completed: z.int().describe('Turns begun in this time.'),
          failed: z.int(),
          median_ms: z.number().nullable().describe('Of the completed turns; null: none.'),
          deliveries: z.record(Disposition, z.int()).describe('Created in this time, by present status.'),
          is_partial: z.boolean().describe(`Only the newest ${pieceRowsMax} were counted.`),
        }),
      ),
    }),
  },
  async handle({ app, principal, query }) {
    const minutes = query.minutes === '60' ? 60 : 1440
    const pieceMs = pieceMsOf[minutes]
    const pieces = (minutes * minuteMs) / pieceMs
    // Whole pieces, so that a point has the same time in every answer.
    const endMs = (Math.floor(app.clock.now() / pieceMs) + 1) * pieceMs
    const points = await readSeries(app.db, principal.workspaceId, {
      fromMs: endMs - pieces * pieceMs,
      pieceMs,
      pieces,
    })
    return {
      piece_ms: pieceMs,
      points: points.map(({ fromMs, completed, failed, medianMs, deliveries, isPartial }) => ({
        from: new Date(fromMs).toISOString(),
        completed,
        failed,
        median_ms: medianMs,
        deliveries: Object.fromEntries(Disposition.options.map((status) => [status, deliveries[status] ?? 0])),
        is_partial: isPartial,
      })),
    }
  },
})
