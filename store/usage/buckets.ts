/** Times as counts by size: buckets grow by a tenth, so that sums of them give percentiles within five percent, and can be added. */
import { type Fragment, sql } from '../postgres/sql.ts'

/** The upper end of the first one, in milliseconds. */
const firstMs = 1
const growth = 1.1
/** Up to five hours and a half. */
const bucketsMax = 175

/** First tokens are counted beside durations, under numbers of their own. */
const firstTokenBase = 1_000

export const durationBucket = (ms: Fragment): Fragment =>
  sql`least(${bucketsMax}::integer, greatest(0, ceil(ln(greatest(${ms}, ${firstMs}::integer)::float8) / ln(${growth}::float8))::integer))`

export const firstTokenBucket = (ms: Fragment): Fragment => sql`${firstTokenBase}::integer + ${durationBucket(ms)}`

/** How many turns by bucket. */
export type Times = ReadonlyMap<number, number>

export interface Percentiles {
  /** How many were measured. */
  count: number
  p50: number | null
  p95: number | null
  p99: number | null
}

export const durations = (times: Times): Percentiles => percentilesOf(times, 0)
export const firstTokens = (times: Times): Percentiles => percentilesOf(times, firstTokenBase)

function percentilesOf(times: Times, base: number): Percentiles {
  const counted = [...times]
    .filter(([bucket]) => bucket >= base && bucket <= base + bucketsMax)
    .sort(([one], [other]) => one - other)
  const count = counted.reduce((sum, [, turns]) => sum + turns, 0)
  const at = (share: number): number | null => {
    let seen = 0
    for (const [bucket, turns] of counted) {
      seen += turns
      if (seen >= share * count) return msOf(bucket - base)
    }
    return null
  }
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** The middle of a bucket, to three digits. */
function msOf(bucket: number): number {
  return bucket === 0 ? firstMs : Number((firstMs * growth ** (bucket - 0.5)).toPrecision(3))
}
