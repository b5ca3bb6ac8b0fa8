/** Times in the operator's zone: short to read, exact on hover and in copies. */
import { useSyncExternalStore } from 'react'
import { type Language, useLanguage } from '../text/text.ts'

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
  // An address may have been typed: what is no time is shown as it is.
  if (!iso || Number.isNaN(Date.parse(iso))) return <span>{iso || never}</span>
  const date = new Date(iso)
  // The browser's own tooltip: the library's would add a tenth to the first load.
  return (
    <time dateTime={iso} title={`${written(date, 'exact', language)} · ${iso}`}>
      {written(date, formOf(date), language)}
    </time>
  )
}

/** How long ago, as lists say it: 6 min; the exact time on hover. It moves on with the minute. */
export function Ago({ iso, never = '–' }: { iso: string | null | undefined; never?: string }) {
  const language = useLanguage()
  const nowMs = useMinutes()
  if (!iso) return <span>{never}</span>
  const date = new Date(iso)
  return (
    <time dateTime={iso} title={`${written(date, 'exact', language)} · ${iso}`}>
      {agoText(nowMs - date.getTime(), language)}
    </time>
  )
}

const agoUnits = {
  en: ['now', 'min', 'h', 'd'],
  ru: ['сейчас', 'мин', 'ч', 'дн'],
} as const

/** now, 6 min, 3 h, 12 d; of the future too. */
export function agoText(ms: number, language: Language): string {
  const [now, min, h, d] = agoUnits[language]
  const minutes = Math.floor(Math.abs(ms) / 60_000)
  if (minutes < 1) return now
  if (minutes < 60) return `${minutes}\u202f${min}`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}\u202f${h}`
  return `${Math.floor(minutes / 1_440)}\u202f${d}`
}

/** One timer for all times of the page that move on as often. @returns a hook: milliseconds since 1970 */
function clockOf(everyMs: number): () => number {
  let nowMs = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    nowMs = Date.now()
    timer ??= setInterval(() => {
      nowMs = Date.now()
      for (const one of listeners) one()
    }, everyMs)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
  return () => useSyncExternalStore(subscribe, () => nowMs)
}

const useMinutes = clockOf(15_000)
/** For countdowns. */
export const useSeconds = clockOf(1_000)

const durationUnits = {
  en: { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' },
  ru: { ms: 'мс', s: 'с', min: 'мин', h: 'ч', d: 'дн' },
} as const

/** Milliseconds as people read them: 412 ms, 2.31 s, 34.1 s, 2 min 5 s, 3 h 2 min, 4 d 3 h. */
export function durationText(ms: number | null | undefined, language: Language): string {
  if (ms === null || ms === undefined) return '–'
  const units = durationUnits[language]
  const two = (value: number, unit: string, rest: number, restUnit: string) =>
    rest === 0 ? `${value}\u202f${unit}` : `${value}\u202f${unit} ${rest}\u202f${restUnit}`
  if (Math.round(ms) < 1_000) return `${Math.round(ms)}\u202f${units.ms}`
  if (ms < 59_950) {
    const seconds = ms / 1_000
    return `${seconds.toLocaleString(language, { maximumFractionDigits: seconds < 9.995 ? 2 : 1 })}\u202f${units.s}`
  }
  const s = Math.round(ms / 1_000)
  if (s < 3_600) return two(Math.floor(s / 60), units.min, s % 60, units.s)
  const min = Math.round(s / 60)
  if (min < 1_440) return two(Math.floor(min / 60), units.h, min % 60, units.min)
  const h = Math.round(min / 60)
  return two(Math.floor(h / 24), units.d, h % 24, units.h)
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span>{durationText(ms, useLanguage())}</span>
}
