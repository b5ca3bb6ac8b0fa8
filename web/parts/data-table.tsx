/** A long list: pages are loaded by scrolling, and only visible rows are in the document. */
import { Button, Center, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import styles from './data-table.module.css'
import { ErrorPanel } from './error-panel.tsx'
import { rowsMax } from './row-pieces.ts'
import { type Column, TableRow } from './table-row.tsx'
import { partsText } from './text.ts'
import type { RowsQuery } from './use-rows.ts'
import { useVisibleRows } from './use-visible-rows.ts'

export type { Column } from './table-row.tsx'

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
  const list = useVisibleRows({ queryKey, load, rowKey, refetchMs }, rowHeight)
  const { rows, items, scroller, virtual, error, retry } = list
  if (list.isLoading) return <LoadingRows label={t('loading')} />
  if (rows.length === 0 && error != null) return <ErrorPanel error={error} onRetry={retry} />
  if (rows.length === 0) return <EmptyList>{empty}</EmptyList>
  return (
    <Stack gap="xs">
      <ErrorPanel error={error} onRetry={retry} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section ref={scroller} className={styles['scroller']} tabIndex={0} aria-label={label}>
        {/* biome-ignore lint/a11y/useSemanticElements: rows that are not in sight are not there, which a table cannot say */}
        <div
          role="table"
          aria-label={label}
          aria-rowcount={list.isWhole ? rows.length + 1 : -1}
          style={tracksOf(columns)}
        >
          <HeadRow columns={columns} />
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
      {list.isFull && (
        <Text size="sm" c="dimmed" role="status">
          {p('listFull', { n: rowsMax })}
        </Text>
      )}
      {list.loadMore && (
        <Button variant="subtle" size="xs" loading={list.isLoadingMore} onClick={list.loadMore}>
          {t('loadMore')}
        </Button>
      )}
    </Stack>
  )
}

/** The widths of the columns, for the style sheet: of all, and of those that narrow screens show. */
function tracksOf<Row>(columns: readonly Column<Row>[]): Record<string, string> {
  const widths = columns.map((column) => column.width)
  const narrowWidths = columns.flatMap((column) => (column.isExtra ? [] : [column.width]))
  return { '--tracks': widths.join(' '), '--narrow-tracks': narrowWidths.join(' ') }
}

function HeadRow<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a table that is no table element
    // biome-ignore lint/a11y/useFocusableInteractive: a heading is read, not operated
    <div role="row" className={styles['head']} aria-rowindex={1}>
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div role="columnheader" key={column.key} data-extra={column.isExtra || undefined}>
          {column.title}
        </div>
      ))}
    </div>
  )
}

function EmptyList({ children }: { children: ReactNode }) {
  return (
    <Center mih={160}>
      <Text component="div" c="dimmed" ta="center" maw={520}>
        {children}
      </Text>
    </Center>
  )
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
