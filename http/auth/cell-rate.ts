/**
 * The generic cell rate algorithm: one number per key. Requests are spread evenly; after a pause `burst` of them may come
 * at once, so a minute may see that many more than the limit.
 */

export interface CellRate {
  /** When the next request would be due, had all come evenly. */
  dueMs: number
}

export interface CellLimit {
  perMinute: number
  /** Requests that may come at once after a pause. */
  burst: number
}

export interface CellVerdict {
  isAllowed: boolean
  remaining: number
  /** Until one request is allowed again; 0 when one is now. */
  waitMs: number
}

/** Counts one request, unless it is refused. */
export function takeCell(rate: CellRate, nowMs: number, { perMinute, burst }: CellLimit): CellVerdict {
  const intervalMs = 60_000 / perMinute
  const slackMs = intervalMs * burst
  const dueMs = Math.max(rate.dueMs, nowMs) + intervalMs
  const waitMs = dueMs - slackMs - nowMs
  if (waitMs > 0) return { isAllowed: false, remaining: 0, waitMs }
  rate.dueMs = dueMs
  return { isAllowed: true, remaining: Math.floor(-waitMs / intervalMs), waitMs: 0 }
}
