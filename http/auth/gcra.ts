/**
 * The generic cell rate algorithm: one number a key. It spreads requests evenly and lets a tenth of a minute's worth
 * through at once, so a minute may see up to a tenth more than the limit.
 */

export interface CellRate {
  /** When the next request would be due, had all come evenly. */
  dueMs: number
}

export interface CellVerdict {
  isAllowed: boolean
  remaining: number
  /** Until one request is allowed again; 0 when one is now. */
  waitMs: number
}

/** @param burst requests allowed at once after a rest */
export function takeCell(rate: CellRate, nowMs: number, perMinute: number, burst: number): CellVerdict {
  const intervalMs = 60_000 / perMinute
  const slackMs = intervalMs * burst
  const dueMs = Math.max(rate.dueMs, nowMs) + intervalMs
  const waitMs = dueMs - slackMs - nowMs
  if (waitMs > 0) return { isAllowed: false, remaining: 0, waitMs }
  rate.dueMs = dueMs
  return { isAllowed: true, remaining: Math.floor(-waitMs / intervalMs), waitMs: 0 }
}
