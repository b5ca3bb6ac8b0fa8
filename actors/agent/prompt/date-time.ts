/**
 * The date and the hour. No minutes: endpoints keep a prompt in their cache as long as its beginning is the same, and a
 * prompt that changes each minute would never be found there. Tools tell the exact time.
 */
import { LRUCache } from 'lru-cache'

/** Making one takes some 50 µs, and there are as many as zones in use. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 64 })

/** @throws RangeError for a zone that does not exist */
export function dateTime(nowMs: number, timeZone: string): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const hour = Number(part('hour'))
  const offset = part('timeZoneName').replace('GMT', 'UTC')
  const date = `${part('weekday')}, ${part('year')}-${part('month')}-${part('day')}`
  return `Today is ${date}, and it is between ${clock(hour)} and ${clock(hour + 1)} (${timeZone}${offset === timeZone ? '' : `, ${offset}`}).`
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formats.get(timeZone)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  formats.set(timeZone, format)
  return format
}
