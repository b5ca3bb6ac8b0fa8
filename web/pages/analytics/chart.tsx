/** Usage over time: money, tokens and turns as stacked bars by group, errors and times as lines with the turns behind them. */
import { useMemo } from 'react'
import { moneyText, numberText, percentText, shortNumberText } from '../../parts/format.ts'
import { Plot } from '../../parts/plot.tsx'
import type { PlotColour, PlotSeries } from '../../parts/plot-shape.ts'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { analyticsText } from './text.ts'
import { bucketTimes, type TimeSpan } from './time-span.ts'
import { type Analytics, costOf, type Usage } from './usage.ts'

export const metrics = ['cost', 'tokens', 'turns', 'errors', 'latency', 'firstToken'] as const
export type Metric = (typeof metrics)[number]

/** Groups with a colour of their own; the rest is one more. */
export const colouredGroups = 5
export const groupColours = ['c1', 'c2', 'c3', 'c4', 'c5'] as const

interface ChartProps {
  metric: Metric
  span: TimeSpan
  currency: string
  grouped: Analytics
  /** Of all groups, or of the one that is chosen: the series that has times. */
  whole: Analytics
  nameOf(value: string | null): string
  onPick(fromS: number, untilS: number): void
}

export function Chart({ metric, span, currency, grouped, whole, nameOf, onPick }: ChartProps) {
  const t = useText(analyticsText)
  const language = useLanguage()
  const { times, stepS } = useMemo(() => bucketTimes(span), [span])
  const wholeAt = useMemo(() => byTime(whole), [whole])
  const turns = { label: t('turns'), values: times.map((time) => wholeAt.get(time)?.turns ?? 0) }
  const shared = { times, stepS, onPick, label: t('chartLabel', { metric: t(metric) }), height: 220 }
  const lineOf = (label: string, colour: PlotColour, value: (usage: Usage) => number | null): PlotSeries => ({
    label,
    colour,
    as: 'line',
    values: times.map((time) => {
      const usage = wholeAt.get(time)
      return usage ? value(usage) : null
    }),
  })
  if (metric === 'errors')
    return (
      <Plot
        {...shared}
        leastTop={0.1}
        format={(share) => percentText(share, language)}
        volume={turns}
        series={[lineOf(t('errorRate'), 'bad', ({ error_rate }) => error_rate)]}
      />
    )
  if (metric === 'latency' || metric === 'firstToken') {
    const of = (usage: Usage) => (metric === 'latency' ? usage.latency : usage.first_token)
    return (
      <Plot
        {...shared}
        leastTop={1_000}
        logFloor={10}
        format={(ms) => durationText(ms, language)}
        volume={turns}
        series={[
          lineOf('p50', 'c1', (usage) => of(usage).p50_ms),
          lineOf('p95', 'c3', (usage) => of(usage).p95_ms),
          lineOf('p99', 'c4', (usage) => of(usage).p99_ms),
        ]}
      />
    )
  }
  // A group without a price has no cost, which is not a cost of nothing.
  const isCounted = (usage: Usage) => metric !== 'cost' || costOf(usage, currency) !== null
  const amount = (usage: Usage): number =>
    metric === 'cost' ? (costOf(usage, currency) ?? 0) : metric === 'turns' ? usage.turns : tokensOf(usage)
  return (
    <Plot
      {...shared}
      leastTop={metric === 'cost' ? 10_000 : 4}
      format={(value) =>
        metric === 'cost'
          ? moneyText(value, currency, language)
          : metric === 'turns'
            ? numberText(value, language)
            : shortNumberText(value, language)
      }
      series={stacked({ grouped, isCounted, wholeAt, times, amount, nameOf, rest: t('otherGroups') })}
    />
  )
}

const tokensOf = ({ tokens_in, tokens_out }: Usage): number => tokens_in + tokens_out

function byTime({ series }: Analytics): Map<number, Usage> {
  return new Map(series.map(({ at, usage }) => [Date.parse(at) / 1_000, usage]))
}

interface Stacked {
  grouped: Analytics
  isCounted(usage: Usage): boolean
  wholeAt: ReadonlyMap<number, Usage>
  times: readonly number[]
  amount(usage: Usage): number
  nameOf(value: string | null): string
  rest: string
}

/** The dearest groups, and what is left of the whole as the last one. */
function stacked({ grouped, isCounted, wholeAt, times, amount, nameOf, rest }: Stacked): PlotSeries[] {
  const shown = grouped.groups.slice(0, colouredGroups)
  const series: PlotSeries[] = shown.flatMap(({ value, usage }, at) => {
    if (!isCounted(usage)) return []
    const own = new Map(
      grouped.series
        .filter((point) => point.value === value)
        .map((point) => [Date.parse(point.at) / 1_000, amount(point.usage)]),
    )
    return {
      label: nameOf(value),
      colour: groupColours[at] ?? 'c6',
      as: 'bars',
      values: times.map((time) => own.get(time) ?? 0),
    }
  })
  if (grouped.groups.length <= colouredGroups) return series
  const values = times.map((time, at) => {
    const all = wholeAt.get(time)
    const counted = series.reduce((sum, one) => sum + (one.values[at] ?? 0), 0)
    return all ? Math.max(0, amount(all) - counted) : 0
  })
  return [...series, { label: rest, colour: 'c6', as: 'bars', values }]
}
