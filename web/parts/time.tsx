/** Times in the operator's zone: short to read, exact on hover and in copies. */
import { useLanguage } from '../text/text.ts'

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const day = { day: '2-digit', month: 'short' } as const
const forms = {
  today: clock,
  thisYear: { ...day, ...clock },
  older: { ...day, year: 'numeric', ...clock },
  exact: { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** Created once: creating a formatter costs a hundred times more than formatting one row. */
const formats = new Map<string, Intl.DateTimeFormat>()

function written(date: Date, form: keyof typeof forms, language: string): string {
  const name = `${language} ${form}`
  let format = formats.get(name)
  if (!format) {
    format = new Intl.DateTimeFormat(language, forms[form])
    formats.set(name, format)
  }
  return format.format(date)
}

function formOf(date: Date): keyof typeof forms {
  const now = new Date()
  if (date.getFullYear() !== now.getFullYear()) return 'older'
  return date.getMonth() === now.getMonth() && date.getDate() === now.getDate() ? 'today' : 'thisYear'
}

/** @param iso an ISO 8601 time, or null for never */
export function Time({ iso, never = '–' }: { iso: string | null | undefined; never?: string }) {
  const language = useLanguage()
  if (!iso) return <span>{never}</span>
  const date = new Date(iso)
  // The browser's own tooltip: the library's would add a tenth to the first load.
  return (
    <time dateTime={iso} title={`${written(date, 'exact', language)} · ${iso}`}>
      {written(date, formOf(date), language)}
    </time>
  )
}

const tenths = {
  en: new Intl.NumberFormat('en', { maximumFractionDigits: 1 }),
  ru: new Intl.NumberFormat('ru', { maximumFractionDigits: 1 }),
}

/** Milliseconds as people read them: 12 ms, 3.4 s, 2 min 5 s, 3 h 2 min. */
export function durationText(ms: number | null | undefined, language: string): string {
  if (ms === null || ms === undefined) return '–'
  const units = language === 'ru' ? { ms: 'мс', s: 'с', min: 'мин', h: 'ч' } : { ms: 'ms', s: 's', min: 'min', h: 'h' }
  if (ms < 1_000) return `${Math.round(ms)} ${units.ms}`
  if (ms < 60_000) return `${tenths[language === 'ru' ? 'ru' : 'en'].format(ms / 1_000)} ${units.s}`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} ${units.min} ${Math.round((ms % 60_000) / 1_000)} ${units.s}`
  return `${Math.floor(ms / 3_600_000)} ${units.h} ${Math.round((ms % 3_600_000) / 60_000)} ${units.min}`
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span>{durationText(ms, useLanguage())}</span>
}
