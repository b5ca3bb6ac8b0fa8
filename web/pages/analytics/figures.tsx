/** The figures of a time beside those of the time before. */
import { percentText, shortNumberText } from '../../parts/format.ts'
import { Stat, StatStrip } from '../../parts/stat-strip.tsx'
import { durationText } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { analyticsText } from './text.ts'
import { type Analytics, changeOf, changeText, costOf, costText, currencyOf, type Usage } from './usage.ts'

/** Fewer turns than these say nothing about a rate or a percentile. */
const turnsLeast = 20
/** A change below these is noise. */
const worseLeast = 0.1

interface Figure {
  label: string
  value(usage: Usage): number | null
  text(usage: Usage): string
  /** Whether more of it is worse: then it is red, where enough turns are behind it. */
  isBadUp?: boolean
}

export function Figures({ of: { total, total_before: before } }: { of: Analytics }) {
  const t = useText(analyticsText)
  const language = useLanguage()
  const currency = currencyOf(total) ?? 'USD'
  const duration = (ms: number | null) => durationText(ms, language)
  const figures: Figure[] = [
    { label: t('cost'), value: (usage) => costOf(usage, currency), text: (usage) => costText(usage, language) },
    { label: t('turns'), value: ({ turns }) => turns, text: ({ turns }) => shortNumberText(turns, language) },
    {
      label: t('tokens'),
      value: ({ tokens_in, tokens_out }) => tokens_in + tokens_out,
      text: ({ tokens_in, tokens_out }) => shortNumberText(tokens_in + tokens_out, language),
    },
    {
      label: t('errorRate'),
      value: ({ error_rate }) => error_rate,
      text: ({ error_rate }) => percentText(error_rate, language),
      isBadUp: true,
    },
    {
      label: t('latencyP95'),
      value: ({ latency }) => latency.p95_ms,
      text: ({ latency }) => duration(latency.p95_ms),
      isBadUp: true,
    },
    {
      label: t('firstTokenP95'),
      value: ({ first_token }) => first_token.p95_ms,
      text: ({ first_token }) => duration(first_token.p95_ms),
      isBadUp: true,
    },
  ]
  const isEnough = total.turns >= turnsLeast && (before?.turns ?? 0) >= turnsLeast
  return (
    <StatStrip label={t('figures')}>
      {figures.map(({ label, value, text, isBadUp = false }) => {
        const change = before && changeOf(value(total), value(before))
        const words = changeText(change ?? null, (share) => percentText(share, language))
        const isWorse = isBadUp && isEnough && (change ?? 0) > worseLeast
        return (
          <Stat
            key={label}
            label={label}
            figure={text(total)}
            change={before ? [words, t('before', { value: text(before) })].filter(Boolean).join(' · ') : undefined}
            trend={isWorse ? 'worse' : undefined}
          />
        )
      })}
    </StatStrip>
  )
}
