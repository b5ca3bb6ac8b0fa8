/** The signals of the chosen time: what is wrong now, figures, plots, and the channels; loaded behind what needs somebody. */
import { Button, Skeleton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { percentText } from '../../parts/format.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { Figures } from './figures.tsx'
import styles from './overview.module.css'
import { PerChannel } from './per-channel.tsx'
import {
  DeliverySignal,
  ErrorSignal,
  errorLimits,
  errorState,
  LatencySignal,
  latencyState,
  TokenUse,
} from './signals.tsx'
import { signalsText } from './signals-text.ts'
import { type Range, type Signals, useSignals } from './use-signals.ts'

/** @param side what stands beside the plots, there at once */
export default function SignalsPart({ range, side }: { range: Range; side: ReactNode }) {
  const t = useText(signalsText)
  const navigate = useNavigate()
  const mayOpen = useMayOpen()
  const { signals, series, failed } = useSignals(range)
  const onPick = mayOpen('/turns', 'conversations.read')
    ? (fromS: number, untilS: number, filters: Record<string, string> = {}) =>
        void navigate(targetOf('/turns', { ...filters, since: isoOf(fromS), until: isoOf(untilS) }))
    : undefined
  const read = signals.data && series.data && { signals: signals.data, series: series.data }
  return (
    <>
      {failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !read && <Skeleton height={86} />}
      {read && <Wrong signals={read.signals} />}
      {read && <Figures {...read} range={range} />}
      <div className={styles['columns']}>
        <div className={styles['plots']}>
          {!read && !failed && <Skeleton height={560} />}
          {read && (
            <>
              <LatencySignal {...read} onPick={onPick} />
              <ErrorSignal {...read} onPick={onPick} />
              <DeliverySignal {...read} onPick={onPick} />
              <TokenUse {...read} onPick={onPick} />
            </>
          )}
        </div>
        {side}
      </div>
      {read && (read.signals.is_partial || read.series.points.some((point) => point.is_partial)) && (
        <p className={styles['note']}>{t('partial')}</p>
      )}
      {read && <PerChannel signals={read.signals} />}
    </>
  )
}

const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString()

const recentMs = 600_000

/** One banner for what is critical now, with the way to the turns behind it. */
function Wrong({ signals }: { signals: Signals }) {
  const t = useText(signalsText)
  const language = useLanguage()
  const mayOpen = useMayOpen()
  const hasErrors = errorState(signals) === 'critical'
  if (!hasErrors && latencyState(signals) !== 'critical') return null
  const { errors, latency } = signals
  const since = new Date(Date.parse(signals.at) - recentMs).toISOString()
  return (
    <Banner
      tone="bad"
      title={`${t('critical')}.`}
      actions={
        <>
          {mayOpen('/turns', 'conversations.read') && (
            <Button
              size="xs"
              variant="default"
              renderRoot={linkTo('/turns', { ...(hasErrors && { status: 'failed' }), since })}
            >
              {t(hasErrors ? 'showFailed' : 'showTurns')}
            </Button>
          )}
          {mayOpen('/alerts', 'alerts.read') && (
            <Button size="xs" variant="default" renderRoot={linkTo('/alerts', { state: 'firing' })}>
              {t('openAlerts')}
            </Button>
          )}
        </>
      }
    >
      {hasErrors &&
        t('errorsOver', {
          rate: percentText(errors.rate, language),
          limit: percentText(errorLimits.critical, language),
          failed: errors.failed,
          all: errors.failed + errors.completed,
        })}{' '}
      {latency.alarm &&
        t('latencyOver', {
          now: durationText(latency.median_ms, language),
          baseline: durationText(latency.baseline_ms, language),
        })}
    </Banner>
  )
}
