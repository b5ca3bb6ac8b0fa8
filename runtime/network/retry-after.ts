/** How long an endpoint asks us to wait before the next request, by its headers. */
import type { Clock } from '../time/clock.ts'
import { minutes } from '../time/duration.ts'

/** A header may name the year 200000, which nobody can wait for and no database has. */
const waitMsMax = minutes(24 * 60)

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Milliseconds from now, a day at the most, from `retry-after-ms`, or from `Retry-After` in seconds or as a date.
 * @returns undefined where there is none that can be read
 * @see RFC 9110, 10.2.3 Retry-After
 */
export function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  const asked = askedMs(headers, clock)
  return asked === undefined ? undefined : Math.min(asked, waitMsMax)
}

function askedMs(headers: Headers, clock: Clock): number | undefined {
  const inMs = numberIn(first(headers['retry-after-ms']))
  if (inMs !== undefined) return inMs
  const after = first(headers['retry-after'])
  const inSeconds = numberIn(after)
  if (inSeconds !== undefined) return inSeconds * 1_000
  const atMs = after === undefined ? Number.NaN : Date.parse(after)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - clock.now())
}

export function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,9}(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}
