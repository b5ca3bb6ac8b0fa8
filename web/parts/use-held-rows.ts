/**
 * Rows that come above what somebody reads wait until they are asked for, so that nothing moves under the eye or the pointer:
 * while the list is scrolled, has the pointer or the focus, or has a row open beside it.
 */
import { useMemo, useRef, useState } from 'react'

interface HeldRows<Row> {
  rows: readonly Row[]
  rowKey(row: Row): string
  /** Another name is another list: nothing of it is held. */
  listName: string
  /** Asked when rows change; undefined: nothing is ever held. */
  isReading: (() => boolean) | undefined
}

export function useHeldRows<Row>({ rows, rowKey, listName, isReading }: HeldRows<Row>) {
  const before = useRef<{ listName: string; shown: readonly Row[]; held: number }>(undefined)
  const [releases, setReleases] = useState(0)
  const released = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages write rowKey and isReading anew at each render
  const { shown, held } = useMemo(() => {
    const last = before.current?.listName === listName ? before.current : undefined
    const isReleased = released.current !== releases
    released.current = releases
    const mayHold = last !== undefined && !isReleased && isReading !== undefined && (last.held > 0 || isReading())
    const count = mayHold ? rowsAbove(last.shown, rows, rowKey) : 0
    // One that was there before and has moved up is not new: it stays in sight.
    const known = new Set(count === 0 ? [] : last?.shown.map(rowKey))
    const shown = count === 0 ? rows : rows.filter((row, at) => at >= count || known.has(rowKey(row)))
    before.current = { listName, shown, held: rows.length - shown.length }
    return before.current
  }, [rows, listName, releases])
  return { shown, held, release: () => setReleases((n) => n + 1) }
}

/** How many rows now stand above the first one that was there before. */
function rowsAbove<Row>(before: readonly Row[], now: readonly Row[], keyOf: (row: Row) => string): number {
  const places = new Map(now.map((row, at) => [keyOf(row), at]))
  for (const row of before) {
    const place = places.get(keyOf(row))
    if (place !== undefined) return place
  }
  return 0
}
