/** Parts of a text, and whether a position is in one of them. */

export interface Span {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** @param spans in order, without overlaps */
export function isWithin(spans: readonly Span[], at: number): boolean {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.start ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const last = spans[low - 1]
  return last !== undefined && at < last.end
}
