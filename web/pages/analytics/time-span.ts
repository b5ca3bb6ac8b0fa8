/** The times that usage is looked at in: whole hours and days of UTC, as the sums are kept. */

const hourMs = 3_600_000
const dayMs = 86_400_000

export const spanNames = ['today', 'yesterday', '24h', '7d', '30d', '90d', 'month', 'lastMonth', 'custom'] as const
export type SpanName = (typeof spanNames)[number]

export interface TimeSpan {
  fromMs: number
  untilMs: number
  bucket: 'hour' | 'day'
}

/** What the address says; an unknown name is the last seven days. `from` and `until` are days, both included. */
export interface SpanChoice {
  span: string
  from: string
  until: string
}

export const spanOf = ({ span }: Pick<SpanChoice, 'span'>): SpanName => spanNames.find((name) => name === span) ?? '7d'

/** The most that the service gives by day. */
const daysMax = 400

/** @returns undefined: the chosen days make no time */
export function timeSpan(choice: SpanChoice, nowMs: number): TimeSpan | undefined {
  const midnight = Math.floor(nowMs / dayMs) * dayMs
  const nextHour = (Math.floor(nowMs / hourMs) + 1) * hourMs
  const now = new Date(nowMs)
  const monthStart = (ago: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)
  const between = (fromMs: number, untilMs: number): TimeSpan => ({
    fromMs,
    untilMs,
    bucket: untilMs - fromMs <= 3 * dayMs ? 'hour' : 'day',
  })
  switch (spanOf(choice)) {
    case 'today':
      return between(midnight, nextHour)
    case 'yesterday':
      return between(midnight - dayMs, midnight)
    case '24h':
      return between(nextHour - dayMs, nextHour)
    case '7d':
      return between(midnight - 6 * dayMs, nextHour)
    case '30d':
      return between(midnight - 29 * dayMs, nextHour)
    case '90d':
      return between(midnight - 89 * dayMs, nextHour)
    case 'month':
      return between(monthStart(0), nextHour)
    case 'lastMonth':
      return between(monthStart(1), monthStart(0))
    case 'custom': {
      const fromMs = Date.parse(choice.from)
      const lastMs = Date.parse(choice.until)
      if (!(fromMs <= lastMs) || lastMs + dayMs - fromMs > daysMax * dayMs) return undefined
      return between(fromMs, lastMs + dayMs)
    }
  }
}

/** In seconds: the beginning of every hour or day of it. */
export function bucketTimes({ fromMs, untilMs, bucket }: TimeSpan): { times: number[]; stepS: number } {
  const stepMs = bucket === 'hour' ? hourMs : dayMs
  const times: number[] = []
  for (let at = Math.floor(fromMs / stepMs) * stepMs; at < untilMs; at += stepMs) times.push(at / 1_000)
  return { times, stepS: stepMs / 1_000 }
}

/** As the API is asked for it. */
export const timesOf = ({ fromMs, untilMs }: TimeSpan) => ({
  from: new Date(fromMs).toISOString(),
  // The end of an hour that the service counts as whole.
  until: new Date(untilMs).toISOString(),
})
