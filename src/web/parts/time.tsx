/** Times in the operator's zone: short to read, exact on hover and for whoever copies them. */
import { useLanguage } from '../text/text.ts'

/** @param iso an ISO 8601 time, or null for one that never was */
export function Time({ iso, never = '–' }: { iso: string | null | undefined; never?: string }) {
  const language = useLanguage()
  if (!iso) return <span>{never}</span>
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  const short = date.toLocaleString(language, {
    ...(isToday
      ? {}
      : {
          day: '2-digit',
          month: 'short',
          ...(date.getFullYear() !== new Date().getFullYear() && { year: 'numeric' as const }),
        }),
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  })
  const exact = `${date.toLocaleString(language, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' })} · ${iso}`
  // The browser's own tooltip: the library's would be a tenth of what is loaded first.
  return (
    <time dateTime={iso} title={exact}>
      {short}
    </time>
  )
}

/** Milliseconds as people read them: 12 ms, 3.4 s, 2 min 5 s, 3 h 2 min. */
export function durationText(ms: number | null | undefined, language: string): string {
  if (ms === null || ms === undefined) return '–'
  const units = language === 'ru' ? { ms: 'мс', s: 'с', min: 'мин', h: 'ч' } : { ms: 'ms', s: 's', min: 'min', h: 'h' }
  if (ms < 1_000) return `${Math.round(ms)} ${units.ms}`
  if (ms < 60_000) return `${(ms / 1_000).toLocaleString(language, { maximumFractionDigits: 1 })} ${units.s}`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} ${units.min} ${Math.round((ms % 60_000) / 1_000)} ${units.s}`
  return `${Math.floor(ms / 3_600_000)} ${units.h} ${Math.round((ms % 3_600_000) / 60_000)} ${units.min}`
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span>{durationText(ms, useLanguage())}</span>
}
