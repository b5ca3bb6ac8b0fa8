/** The signals as cards: the present state, and a plot with its limits. A click leads to the turns behind it. */
import { type ReactNode, useMemo } from 'react'
import { Card } from '../../parts/card.tsx'
import { numberText, percentText, shortNumberText } from '../../parts/format.ts'
import { Plot } from '../../parts/plot.tsx'
import type { PlotSeries, PlotThreshold } from '../../parts/plot-shape.ts'
import { State, type StateName } from '../../parts/state.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { signalsText } from './signals-text.ts'
import { errorShare, type Point, type Series, type Signals, turnsLeast, turnsOf } from './use-signals.ts'

/** Above these the state is degraded, or critical. */
export const errorLimits = { degraded: 0.01, critical: 0.05 }
const waitingTooLongS = 300
const latencyFloorMs = 10

type SignalState = 'healthy' | 'degraded' | 'critical' | 'few' | 'noData'
const marks: Record<SignalState, StateName> = {
  healthy: 'healthy',
  degraded: 'degraded',
  critical: 'failed',
  few: 'queued',
  noData: 'queued',
}

export interface SignalProps {
  signals: Signals
  series: Series
  /** Leads to the turns of a time; undefined: the role may not see them. */
  onPick: ((fromS: number, untilS: number, filters?: Record<string, string>) => void) | undefined
}

export function latencyState({ latency }: Signals): SignalState {
  return latency.alarm ? 'critical' : latency.median_ms === null ? 'noData' : 'healthy'
}

export function errorState({ errors: { rate, failed, completed } }: Signals): SignalState {
  if (rate === null) return 'noData'
  if (failed + completed < turnsLeast) return 'few'
  return rate > errorLimits.critical ? 'critical' : rate > errorLimits.degraded ? 'degraded' : 'healthy'
}

export function LatencySignal({ signals, series, onPick }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const format = (ms: number) => durationText(ms, language)
  const { median_ms, baseline_ms } = signals.latency
  const thresholds: PlotThreshold[] =
    baseline_ms === null
      ? []
      : [{ label: `${t('twice')} ${format(baseline_ms * 2)}`, colour: 'bad', value: baseline_ms * 2 }]
  return (
    <SignalCard title={t('latency')} fact={t('logScale')} state={latencyState(signals)}>
      <p>
        {t(baseline_ms === null ? 'latencyNew' : 'latencyAbout', {
          now: durationText(median_ms, language),
          baseline: durationText(baseline_ms, language),
        })}
      </p>
      <SeriesPlot
        label={t('latency')}
        series={series}
        columns={[
          { label: t('median'), colour: 'c2', as: 'line', value: (point) => point.median_ms },
          { label: 'p95', colour: 'c1', as: 'line', value: (point) => point.p95_ms },
          { label: 'p99', colour: 'c3', as: 'line', value: (point) => point.p99_ms },
        ]}
        thresholds={thresholds}
        volume={{ label: t('turns'), value: turnsOf }}
        leastTop={1_000}
        logFloor={latencyFloorMs}
        format={format}
        {...(onPick && { onPick })}
      />
    </SignalCard>
  )
}

export function ErrorSignal({ signals, series, onPick }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const format = (share: number) => percentText(share, language)
  const { rate, failed, completed } = signals.errors
  return (
    <SignalCard title={t('errors')} state={errorState(signals)}>
      <p>{t('errorsAbout', { rate: percentText(rate, language), failed, all: failed + completed })}</p>
      <SeriesPlot
        label={t('errors')}
        leastTop={0.06}
        series={series}
        columns={[{ label: t('errorRate'), colour: 'bad', as: 'line', value: errorShare }]}
        thresholds={[
          { label: format(errorLimits.degraded), colour: 'warn', value: errorLimits.degraded },
          { label: format(errorLimits.critical), colour: 'bad', value: errorLimits.critical },
        ]}
        volume={{ label: t('turns'), value: turnsOf }}
        format={format}
        {...(onPick && { onPick: (fromS, untilS) => onPick(fromS, untilS, { status: 'failed' }) })}
      />
    </SignalCard>
  )
}

const deliveriesIn =
  (...statuses: (keyof Point['deliveries'])[]) =>
  ({ deliveries }: Point): number =>
    statuses.reduce((sum, status) => sum + (deliveries[status] ?? 0), 0)
const waitingOf = deliveriesIn('pending', 'sending', 'failed')
const deliveredOf = deliveriesIn('delivered')
const undeliverableOf = deliveriesIn('undeliverable')
const cancelledOf = deliveriesIn('cancelled')

export function DeliverySignal({ signals: { deliveries }, series }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const { pending, oldest_age_s } = deliveries
  const isLate = oldest_age_s !== null && oldest_age_s > waitingTooLongS
  return (
    <SignalCard title={t('deliveries')} state={isLate ? 'degraded' : 'healthy'}>
      <p>
        {pending === 0 ? t('noneWaits') : t('deliveriesAbout', { n: pending })}
        {oldest_age_s !== null && ` ${t('oldestWaits', { age: durationText(oldest_age_s * 1_000, language) })}`}
      </p>
      <SeriesPlot
        label={t('deliveries')}
        leastTop={4}
        series={series}
        columns={[
          { label: t('undeliverable'), colour: 'bad', as: 'bars', value: undeliverableOf },
          { label: t('pending'), colour: 'warn', as: 'bars', value: waitingOf },
          { label: t('cancelled'), colour: 'idle', as: 'bars', value: cancelledOf },
          { label: t('delivered'), colour: 'ok', as: 'bars', value: deliveredOf },
        ]}
        format={(count) => numberText(count, language)}
      />
    </SignalCard>
  )
}

export function TokenUse({ series, onPick }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const format = (tokens: number) => shortNumberText(tokens, language)
  const all = series.points.reduce((sum, { tokens_in, tokens_out }) => sum + tokens_in + tokens_out, 0)
  return (
    <SignalCard title={t('tokens')} fact={t('tokensInAll', { n: format(all) })}>
      <p>{t('tokensAbout')}</p>
      <SeriesPlot
        label={t('tokens')}
        leastTop={100}
        series={series}
        columns={[
          { label: t('tokensOut'), colour: 'c2', as: 'bars', value: ({ tokens_out }) => tokens_out },
          { label: t('tokensIn'), colour: 'c1', as: 'bars', value: ({ tokens_in }) => tokens_in },
        ]}
        format={format}
        {...(onPick && { onPick })}
      />
    </SignalCard>
  )
}

interface SeriesPlotProps {
  label: string
  series: Series
  columns: readonly (Omit<PlotSeries, 'values'> & { value(point: Point): number | null })[]
  thresholds?: readonly PlotThreshold[]
  volume?: { label: string; value(point: Point): number }
  leastTop: number
  logFloor?: number
  format(value: number): string
  onPick?(fromS: number, untilS: number): void
}

function SeriesPlot({ series, columns, volume, ...rest }: SeriesPlotProps) {
  const times = useMemo(() => series.points.map(({ from }) => Date.parse(from) / 1_000), [series])
  const drawn = columns.map(({ value, ...column }) => ({ ...column, values: series.points.map(value) }))
  return (
    <Plot
      {...rest}
      times={times}
      stepS={series.piece_ms / 1_000}
      series={drawn}
      {...(volume && { volume: { label: volume.label, values: series.points.map(volume.value) } })}
    />
  )
}

interface SignalCardProps {
  title: string
  fact?: string
  state?: SignalState
  children: ReactNode
}

function SignalCard({ title, fact, state, children }: SignalCardProps) {
  const t = useText(signalsText)
  return (
    <Card
      title={title}
      fact={fact}
      actions={
        state && (
          <State state={marks[state]} isPill>
            {t(state)}
          </State>
        )
      }
    >
      {children}
    </Card>
  )
}
