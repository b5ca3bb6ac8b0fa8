/** The key figures of the chosen time, each beside the same time before, with its course. */
import { numberText, percentText, shortNumberText } from '../../parts/format.ts'
import { PageLink } from '../../parts/link-to.tsx'
import { Stat, StatStrip } from '../../parts/stat-strip.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { changeOf, changeText, costOf, costText, currencyOf } from '../analytics/usage.ts'
import { signalsText } from './signals-text.ts'
import {
  errorShare,
  type Point,
  type Range,
  type Series,
  type Signals,
  turnsLeast,
  turnsOf,
  useCost,
} from './use-signals.ts'

/** Less is noise. */
const worseShare = 0.1
const worseErrorPoints = 0.01
const worseMs = 200

export function Figures({ signals, series, range }: { signals: Signals; series: Series; range: Range }) {
  const t = useText(signalsText)
  const language = useLanguage()
  const { totals: now, totals_before: before } = series
  const isEnough = now.turns >= turnsLeast && before.turns >= turnsLeast
  const percent = (share: number) => percentText(share, language)
  const duration = (ms: number | null) => durationText(ms, language)
  const course = (value: (point: Point) => number | null) => series.points.map(value)
  const words = (...parts: string[]) => parts.filter((part) => part !== '').join(' · ')
  const [errors, errorsBefore] = [errorShare(now), errorShare(before)]
  const errorPoints = errors !== null && errorsBefore !== null ? errors - errorsBefore : null
  const { pending, oldest_age_s: oldestS } = signals.deliveries
  return (
    <StatStrip label={t('figures')}>
      <Stat
        label={t('turns')}
        figure={now.is_partial ? t('atLeast', { n: numberText(now.turns, language) }) : numberText(now.turns, language)}
        change={words(
          changeText(changeOf(now.turns, before.turns), percent),
          t('before', { value: numberText(before.turns, language) }),
        )}
        spark={course(turnsOf)}
      />
      <Stat
        label={t('errorRate')}
        figure={percentText(errors, language)}
        change={words(
          errorPoints === null || Math.abs(errorPoints) < 0.0005
            ? ''
            : t(errorPoints > 0 ? 'pointsUp' : 'pointsDown', {
                n: (Math.abs(errorPoints) * 100).toLocaleString(language, { maximumFractionDigits: 1 }),
              }),
          t('failedTurns', { n: now.failed }),
        )}
        trend={isEnough && (errorPoints ?? 0) >= worseErrorPoints ? 'worse' : undefined}
        spark={course(errorShare)}
      />
      <Stat
        label={t('latencyP95')}
        figure={duration(now.p95_ms)}
        change={words(
          changeText(changeOf(now.p95_ms, before.p95_ms), percent),
          now.p50_ms === null ? '' : `p50 ${duration(now.p50_ms)}`,
        )}
        trend={isEnough && isSlower(now.p95_ms, before.p95_ms) ? 'worse' : undefined}
        spark={course(({ p95_ms }) => p95_ms)}
      />
      <Stat
        label={t('firstToken')}
        figure={duration(now.first_token_p50_ms)}
        change={words(
          changeText(changeOf(now.first_token_p50_ms, before.first_token_p50_ms), percent),
          now.first_token_p95_ms === null ? '' : `p95 ${duration(now.first_token_p95_ms)}`,
        )}
        trend={isEnough && isSlower(now.first_token_p50_ms, before.first_token_p50_ms) ? 'worse' : undefined}
        spark={course(({ first_token_ms }) => first_token_ms)}
      />
      <Cost range={range} />
      <Stat
        label={t('pendingDeliveries')}
        figure={numberText(pending, language)}
        change={oldestS === null ? t('noneWaits') : t('oldest', { age: duration(oldestS * 1_000) })}
      />
    </StatStrip>
  )
}

function isSlower(ms: number | null, beforeMs: number | null): boolean {
  return (changeOf(ms, beforeMs) ?? 0) > worseShare && (ms ?? 0) >= worseMs
}

/** Not there for roles that do not see usage. */
function Cost({ range }: { range: Range }) {
  const t = useText(signalsText)
  const language = useLanguage()
  const { data } = useCost(range)
  if (!data) return null
  const { total, total_before: before } = data
  const currency = currencyOf(total) ?? 'USD'
  // The hour is not over: beside a whole one of before it would always look like less.
  const isComparable = range !== '60' && range !== '360'
  const change = before && isComparable ? changeOf(costOf(total, currency), costOf(before, currency)) : null
  const tokens = shortNumberText(total.tokens_in + total.tokens_out, language)
  return (
    <Stat
      label={<PageLink path="/analytics">{t(range === '60' ? 'costOfHour' : 'cost')}</PageLink>}
      figure={costText(total, language)}
      change={[changeText(change, (share) => percentText(share, language)), t('tokensOf', { n: tokens })]
        .filter((part) => part !== '')
        .join(' · ')}
    />
  )
}
