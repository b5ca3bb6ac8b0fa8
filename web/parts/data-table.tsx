/** A long list: pages are loaded by scrolling, and only visible rows are in the document. */
import { Button, Center, Skeleton, Stack, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import styles from './data-table.module.css'
import { ErrorPanel } from './error-panel.tsx'
import { firstStale, isFull, nextOf, rowsMax, rowsOf } from './row-pieces.ts'
import { partsText } from './text.ts'
import { type RowsQuery, useRows } from './use-rows.ts'

export interface Column<Row> {
  key: string
  title: string
  /** A CSS grid track, such as `minmax(120px, 1fr)` or `90px`. */
  width: string
  cell(row: Row): ReactNode
  /** Not shown on narrow screens. */
  isExtra?: boolean
}

interface DataTableProps<Row> extends Omit<RowsQuery<Row>, 'refetchMs'> {
  /** Names the list for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  /** What a row opens. */
  onOpen?(row: Row): void
  /** What to do when the list is empty; whole sentences. */
  empty: ReactNode
  refetchMs?: number
  rowHeight?: number
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, queryKey, load, columns, rowKey, onOpen, empty, refetchMs, rowHeight = 44 } = props
  const t = useText(sharedText)
  const p = useText(partsText)
  const { list, next, old: stale } = useRows({ queryKey, load, rowKey, refetchMs })
  const pieces = list.data ?? []
  const rows = useMemo(() => rowsOf(list.data ?? []), [list.data])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => (rows[index] === undefined ? index : rowKey(rows[index])),
  })
  const items = virtual.getVirtualItems()
  const lastSeen = items.at(-1)?.index ?? -1
  useStableScroll(scroller, rows, rowKey, rowHeight)
  const nextCursor = nextOf(pieces)
  useEffect(() => {
    const isWanted = lastSeen >= rows.length - 10 && nextCursor !== undefined
    // A page that failed is retried by hand only.
    if (isWanted && !next.isBusy && next.error === undefined) next.go(nextCursor)
  }, [lastSeen, rows.length, nextCursor, next])
  const visibleKeys = new Set(items.map((item) => String(item.key)))
  const staleCursor = pieces[firstStale(pieces, visibleKeys, rowKey)]?.cursor
  useEffect(() => {
    if (staleCursor !== undefined && !stale.isBusy && stale.error === undefined) stale.go(staleCursor)
  }, [staleCursor, stale])
  const error = list.error ?? next.error ?? stale.error
  function retry(): void {
    if (next.error !== undefined && nextCursor !== undefined) next.go(nextCursor)
    if (stale.error !== undefined && staleCursor !== undefined) stale.go(staleCursor)
    if (list.isError) void list.refetch()
  }

  if (list.isPending) return <LoadingRows label={t('loading')} />
  if (error != null && rows.length === 0) return <ErrorPanel error={error} onRetry={retry} />
  // A search without a match so far continues with the next page.
  if (rows.length === 0 && nextCursor !== undefined && error == null) return <LoadingRows label={t('loading')} />
  if (rows.length === 0)
    return (
      <Center mih={160}>
        <Text component="div" c="dimmed" ta="center" maw={520}>
          {empty}
        </Text>
      </Center>
    )
  const tracks = columns.map((column) => column.width).join(' ')
  const narrowTracks = columns.flatMap((column) => (column.isExtra ? [] : [column.width])).join(' ')
  const grid = { '--tracks': tracks, '--narrow-tracks': narrowTracks } as Record<string, string>
  return (
    <Stack gap="xs">
      <ErrorPanel error={error} onRetry={retry} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={styles['scroller']} tabIndex={0} aria-label={label}>
        {/* biome-ignore lint/a11y/useSemanticElements: rows that are not in sight are not there, which a table cannot say */}
        <div
          role="table"
          aria-label={label}
          aria-rowcount={pieces.at(-1)?.next == null ? rows.length + 1 : -1}
          style={grid}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: a heading is read, not operated */}
          <div role="row" className={styles['head']} aria-rowindex={1}>
            {columns.map((column) => (
              // biome-ignore lint/a11y/useSemanticElements: as above
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <div role="columnheader" key={column.key} data-extra={column.isExtra || undefined}>
                {column.title}
              </div>
            ))}
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = rows[item.index]
              if (row === undefined) return null
              return (
                <TableRow<Row>
                  key={item.key}
                  row={row}
                  columns={columns}
                  onOpen={onOpen}
                  rowHeight={rowHeight}
                  index={item.index}
                  topPx={item.start}
                  measure={virtual.measureElement}
                />
              )
            })}
          </div>
        </div>
      </section>
      {isFull(pieces) && (
        <Text size="sm" c="dimmed" role="status">
          {p('listFull', { n: rowsMax })}
        </Text>
      )}
      {nextCursor !== undefined && (
        <Button variant="subtle" size="xs" loading={next.isBusy} onClick={() => next.go(nextCursor)}>
          {t('loadMore')}
        </Button>
      )}
    </Stack>
  )
}

/** Keeps the rows in place that the user reads while rows above come or go. */
function useStableScroll<Row>(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  rowHeight: number,
): void {
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

interface TableRowProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  index: number
  topPx: number
  rowHeight: number
  onOpen: ((row: Row) => void) | undefined
  measure(element: Element | null): void
}

/** Memoized, so that scrolling renders only rows that become visible. */
const TableRow = memo(function TableRow({
  row,
  columns,
  index,
  topPx,
  rowHeight,
  onOpen,
  measure,
}: TableRowProps<unknown>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows that are not in sight are not there, which a table cannot say
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles['row']}
      data-opens={onOpen ? true : undefined}
      style={{ transform: `translateY(${topPx}px)`, minHeight: rowHeight }}
      ref={measure}
      data-index={index}
      tabIndex={onOpen ? 0 : -1}
      onClick={(event) => {
        if (onOpen && !isOwnControl(event.target)) onOpen(row)
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (onOpen && event.key === 'Enter' && !isOwnControl(event.target)) onOpen(row)
      }}
    >
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        <div role="cell" key={column.key} data-extra={column.isExtra || undefined}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}) as <Row>(props: TableRowProps<Row>) => ReactNode

/** A click on a button or link in a row does not open the row. */
function isOwnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button, a, input, label, [role="checkbox"]') !== null
}

function LoadingRows({ label }: { label: string }) {
  return (
    <Stack gap="xs" aria-busy="true" aria-label={label} role="status">
      {[0, 1, 2, 3, 4, 5].map((line) => (
        <Skeleton key={line} height={34} />
      ))}
    </Stack>
  )
}
