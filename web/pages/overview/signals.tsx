/** The signals as cards: the current state, and a plot with its thresholds. */
import { Card, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import type { Answer } from '../../api/types.ts'
import { Plot } from '../../parts/plot.tsx'
import type { PlotSeries, PlotThreshold } from '../../parts/plot-shape.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { signalsText } from './signals-text.ts'

export type Signals = Answer<'GET /v1/admin/signals'>
type Series = Answer<'GET /v1/admin/signals/series'>

/** Above these the state is degraded, or critical. */
const errorRates = { degraded: 0.01, critical: 0.05 }
const waitingTooLongS = 300

type SignalState = 'healthy' | 'degraded' | 'critical' | 'noData'
const tones: Record<SignalState, Tone> = { healthy: 'good', degraded: 'warn', critical: 'bad', noData: 'quiet' }

interface SignalProps {
  signals: Signals
  series: Series
}

export function LatencySignal({ signals: { latency }, series }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const format = (ms: number) => durationText(ms, language)
  const { median_ms, baseline_ms, alarm } = latency
  const thresholds: PlotThreshold[] =
    baseline_ms === null
      ? []
      : [
          { label: `${t('baseline')} ${format(baseline_ms)}`, colour: 'idle', value: baseline_ms },
          { label: `${t('twice')} ${format(baseline_ms * 2)}`, colour: 'bad', value: baseline_ms * 2 },
        ]
  return (
    <SignalCard title={t('latency')} state={alarm ? 'critical' : median_ms === null ? 'noData' : 'healthy'}>
      <Text>
        {t(baseline_ms === null ? 'latencyNew' : 'latencyAbout', {
          now: durationText(median_ms, language),
          baseline: durationText(baseline_ms, language),
        })}
      </Text>
      <SeriesPlot
        label={t('latency')}
        series={series}
        columns={[{ label: t('median'), colour: 'c1', as: 'line', value: (point) => point.median_ms }]}
        thresholds={thresholds}
        leastTop={100}
        format={format}
      />
    </SignalCard>
  )
}

export function ErrorSignal({ signals: { errors }, series }: SignalProps) {
  const t = useText(signalsText)
  const language = useLanguage()
  const format = (percent: number) =>
    t('percent', { n: percent.toLocaleString(language, { maximumFractionDigits: 1 }) })
  const { rate, failed, completed } = errors
  const state =
    rate === null
      ? 'noData'
      : rate > errorRates.critical
        ? 'critical'
        : rate > errorRates.degraded
          ? 'degraded'
          : 'healthy'
  const rateText = rate === null ? '–' : format(rate * 100)
  return (
    <SignalCard title={t('errors')} state={state}>
      <Text>{t('errorsAbout', { rate: rateText, failed, all: failed + completed })}</Text>
      <SeriesPlot
        label={t('errors')}
        leastTop={5}
        series={series}
        columns={[{ label: t('errorRate'), colour: 'bad', as: 'bars', value: errorPercent }]}
        thresholds={[
          { label: format(errorRates.degraded * 100), colour: 'warn', value: errorRates.degraded * 100 },
          { label: format(errorRates.critical * 100), colour: 'bad', value: errorRates.critical * 100 },
        ]}
        format={format}
      />
    </SignalCard>
  )
}

type Point = Series['points'][number]

const errorPercent = ({ completed, failed }: Point): number | null =>
  completed + failed === 0 ? null : (100 * failed) / (completed + failed)

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
      <Text>
        {pending === 0 ? t('noneWaits') : t('deliveriesAbout', { n: pending })}
        {oldest_age_s !== null && ` ${t('oldest', { age: durationText(oldest_age_s * 1_000, language) })}`}
      </Text>
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
        format={(count) => count.toLocaleString(language, { maximumFractionDigits: 1 })}
      />
    </SignalCard>
  )
}

export function TurnCounts({ series }: { series: Series }) {
  const t = useText(signalsText)
  const language = useLanguage()
  return (
    <SignalCard title={t('turns')}>
      <Text>{t('turnsAbout')}</Text>
      <SeriesPlot
        label={t('turns')}
        leastTop={4}
        series={series}
        columns={[
          { label: t('failed'), colour: 'bad', as: 'bars', value: ({ failed }) => failed },
          { label: t('completed'), colour: 'c1', as: 'bars', value: ({ completed }) => completed },
        ]}
        format={(count) => count.toLocaleString(language, { maximumFractionDigits: 1 })}
      />
    </SignalCard>
  )
}

interface SeriesPlotProps {
  label: string
  series: Series
  columns: readonly (Omit<PlotSeries, 'values'> & { value(point: Point): number | null })[]
  thresholds?: readonly PlotThreshold[]
  leastTop: number
  format(value: number): string
}

function SeriesPlot({ series, columns, ...rest }: SeriesPlotProps) {
  const times = useMemo(() => series.points.map(({ from }) => Date.parse(from) / 1_000), [series])
  const drawn = columns.map(({ value, ...column }) => ({ ...column, values: series.points.map(value) }))
  return <Plot {...rest} times={times} stepS={series.piece_ms / 1_000} series={drawn} />
}

function SignalCard({ title, state, children }: { title: string; state?: SignalState; children: ReactNode }) {
  const t = useText(signalsText)
  return (
    <Card component="section">
      <Group justify="space-between" mb={4}>
        <Title order={2}>{title}</Title>
        {state && <StatusBadge tone={tones[state]}>{t(state)}</StatusBadge>}
      </Group>
      {children}
    </Card>
  )
}
