/** Quiet hours: until when an alert that can wait is held back, by the clock of a time zone. */
import { z } from 'zod'
import type { QuietHours as Stored } from '../../store/subscriptions/subscriptions.ts'

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')

export const QuietHours = z
  .strictObject({
    from: Time.describe('By the clock of the time zone; later than `to`: over midnight.'),
    to: Time,
    time_zone: z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  })
  .refine(({ from, to }) => from !== to, 'from and to must differ')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const dayMinutes = 24 * 60
const minuteMs = 60_000

/** @returns null: they are not now */
export function quietUntil(quiet: Stored | null, now: Date): Date | null {
  if (!quiet) return null
  const minute = minuteOfDay(now, quiet.time_zone)
  const sinceStart = (minute - minutesOf(quiet.from) + dayMinutes) % dayMinutes
  const length = (minutesOf(quiet.to) - minutesOf(quiet.from) + dayMinutes) % dayMinutes
  if (sinceStart >= length) return null
  const startOfMinuteMs = Math.floor(now.getTime() / minuteMs) * minuteMs
  return new Date(startOfMinuteMs + (length - sinceStart) * minuteMs)
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function minuteOfDay(at: Date, timeZone: string): number {
  const text = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at)
  return minutesOf(text)
}
