/**
 * The rows of a long list that are on the screen. Scrolling near the end loads the next page, and a stale piece is reloaded
 * when one of its rows becomes visible.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { firstStale, isFull, nextOf, rowsOf } from './row-pieces.ts'
import { useHeldRows } from './use-held-rows.ts'
import { type RowsQuery, useRows } from './use-rows.ts'

/** This close to the last loaded row the next page is loaded. */
const rowsAhead = 10

interface Place {
  rowHeight: number
  /** New rows wait above while somebody reads. */
  keepsPlace: boolean
  isRowOpen: boolean
}

export function useVisibleRows<Row>(query: RowsQuery<Row>, { rowHeight, keepsPlace, isRowOpen }: Place) {
  const { rowKey } = query
  const { list, next, stale } = useRows(query)
  const pieces = list.data ?? []
  const loaded = useMemo(() => rowsOf(list.data ?? []), [list.data])
  const scroller = useRef<HTMLDivElement>(null)
  function isReading(): boolean {
    const element = scroller.current
    return (
      isRowOpen || (element !== null && (element.scrollTop >= rowHeight || element.matches(':hover, :focus-within')))
    )
  }
  const {
    shown: rows,
    held,
    release,
  } = useHeldRows({
    rows: loaded,
    rowKey,
    listName: JSON.stringify(query.queryKey),
    isReading: keepsPlace ? isReading : undefined,
  })
  // Another function would have every loaded row placed anew at each frame of scrolling.
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages write rowKey anew at each render
  const getItemKey = useCallback((index: number) => (rows[index] === undefined ? index : rowKey(rows[index])), [rows])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // Rows ahead are there already, and a frame that waits for those behind them is one that is left out.
    useFlushSync: false,
    getItemKey,
  })
  useStableScroll({ scroller, rows, rowKey, rowHeight })
  const items = virtual.getVirtualItems()
  const lastVisible = items.at(-1)?.index ?? -1
  const nextCursor = nextOf(pieces)
  useEffect(() => {
    const isNearEnd = lastVisible >= rows.length - rowsAhead
    // A page that failed is retried by hand only.
    if (isNearEnd && nextCursor !== undefined && !next.isBusy && next.error === undefined) next.go(nextCursor)
  }, [lastVisible, rows.length, nextCursor, next])
  const visibleKeys = new Set(items.map((item) => String(item.key)))
  const staleCursor = pieces[firstStale(pieces, visibleKeys, rowKey)]?.cursor
  useEffect(() => {
    if (staleCursor !== undefined && !stale.isBusy && stale.error === undefined) stale.go(staleCursor)
  }, [staleCursor, stale])
  const isNew = useNewRows(rows, rowKey)
  const error = list.error ?? next.error ?? stale.error
  return {
    rows,
    /** How many rows wait above. */
    held,
    showHeld(): void {
      release()
      scroller.current?.scrollTo(0, 0)
    },
    items,
    isNew,
    scroller,
    virtual,
    error,
    // A search without a match so far continues with the next page.
    isLoading: list.isPending || (rows.length === 0 && nextCursor !== undefined && error == null),
    isWhole: pieces.at(-1)?.next == null,
    isFull: isFull(pieces),
    /** Undefined: there is no further page, or the list is full. */
    loadMore: nextCursor === undefined ? undefined : () => next.go(nextCursor),
    nextCursor,
    isLoadingMore: next.isBusy,
    retry(): void {
      if (next.error !== undefined && nextCursor !== undefined) next.go(nextCursor)
      if (stale.error !== undefined && staleCursor !== undefined) stale.go(staleCursor)
      if (list.isError) void list.refetch()
    },
  }
}

/** Rows above all that were there before have come since: they are marked for a moment. */
function useNewRows<Row>(rows: readonly Row[], rowKey: (row: Row) => string): (key: string) => boolean {
  const known = useRef<ReadonlySet<string>>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages write rowKey anew at each render
  return useMemo(() => {
    const before = known.current
    const keys = new Set(rows.map(rowKey))
    const fresh = new Set<string>()
    if (before && before.size > 0 && rows.some((row) => before.has(rowKey(row))))
      for (const key of keys) {
        if (before.has(key)) break
        fresh.add(key)
      }
    known.current = keys
    return (key: string) => fresh.has(key)
  }, [rows])
}

interface StableScroll<Row> {
  scroller: RefObject<HTMLDivElement | null>
  rows: readonly Row[]
  rowKey: (row: Row) => string
  rowHeight: number
}

/** Keeps the rows in place that the user reads while rows above come or go. */
function useStableScroll<Row>({ scroller, rows, rowKey, rowHeight }: StableScroll<Row>): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const was = before.current
    const element = scroller.current
    before.current = rows
    if (!element || was === rows || element.scrollTop < rowHeight) return
    const index = Math.floor(element.scrollTop / rowHeight)
    const topRow = was[index]
    if (topRow === undefined) return
    const now = rows.findIndex((row) => rowKey(row) === rowKey(topRow))
    if (now >= 0 && now !== index) element.scrollTop += (now - index) * rowHeight
  }, [scroller, rows, rowKey, rowHeight])
}
