/**
 * A long list: pages are loaded by scrolling, and only visible rows are in the document.
 *
 *   const columns: Column<Turn>[] = [
 *     { key: 'started', title: t('started'), width: '80px', cell: (turn) => <Time iso={turn.started_at} /> },
 *     { key: 'input', title: t('input'), width: 'minmax(160px, 2fr)', isMain: true, cell: (turn) => turn.input },
 *     { key: 'cost', title: t('cost'), width: '80px', isNumber: true, phone: 'aside', cell: … },
 *   ]
 *   <DataTable label={t('title')} queryKey={…} load={…} rowKey={(turn) => turn.id} columns={columns} onOpen={open} empty={…} />
 *
 * Keys: J K ↓ ↑ move, Enter opens, X chooses, Shift X chooses up to here. On a phone a row has two lines.
 */
import { Button } from '@mantine/core'
import { ArrowUp } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useIsPhone } from '../app/screen.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import styles from './data-table.module.css'
import { EmptyState } from './empty-state.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { LoadingRows } from './loading-rows.tsx'
import { rowsMax } from './row-pieces.ts'
import { HeadRow, type Sorting } from './table-head.tsx'
import { type Column, TableRow } from './table-row.tsx'
import { partsText } from './text.ts'
import { type Choice, useRowKeys } from './use-row-keys.ts'
import type { RowsQuery } from './use-rows.ts'
import { useVisibleRows } from './use-visible-rows.ts'

export type { Column } from './table-row.tsx'
export { useChoice } from './use-row-keys.ts'

interface DataTableProps<Row> extends Omit<RowsQuery<Row>, 'refetchMs'> {
  /** Names the list for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  /** What a row opens. */
  onOpen?(row: Row): void
  /** The key of the row that is open beside the list. */
  openKey?: string | undefined
  /** What to do when the list is empty; whole sentences, or an `EmptyState`. */
  empty: ReactNode
  refetchMs?: number
  /** For rows of two lines, 48. */
  rowHeight?: number
  sorting?: Sorting
  /** Rows can be chosen, for a bulk bar. */
  choice?: Choice
  /** For lists that grow by themselves: new rows wait behind a button while somebody reads. */
  keepsPlace?: boolean
  /** How many there are, where that is known without a wait. */
  total?: { n: number; isLeast: boolean } | undefined
}

const phoneRowHeight = 58
/** Room that a list keeps where much stands around it; a shorter one is as high as its rows. */
const heightMin = 240

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, queryKey, load, columns, rowKey, onOpen, empty, refetchMs, sorting, choice } = props
  // An address without an open row has a blank one.
  const openKey = props.openKey || undefined
  const t = useText(sharedText)
  const p = useText(partsText)
  const isPhone = useIsPhone()
  const rowHeight = isPhone ? phoneRowHeight : (props.rowHeight ?? 34)
  const list = useVisibleRows(
    { queryKey, load, rowKey, refetchMs },
    { rowHeight, keepsPlace: props.keepsPlace ?? false, isRowOpen: openKey !== undefined },
  )
  const { rows, items, scroller, virtual, error, retry } = list
  const scrollTo = (at: number) => virtual.scrollToIndex(at)
  // Each frame of scrolling renders the list anew: what does not scroll is not rendered with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: pages write rowKey anew at each render
  const head = useMemo(
    () => <HeadRow columns={columns} sorting={sorting} choice={choice} keys={choice ? rows.map(rowKey) : []} />,
    [columns, sorting, choice, rows],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const more = useMemo(
    () =>
      list.loadMore && (
        <Button
          variant="subtle"
          size="xs"
          loading={list.isLoadingMore}
          onClick={list.loadMore}
          className={styles['more']}
        >
          {t('loadMore')}
        </Button>
      ),
    [list.nextCursor, list.isLoadingMore, t],
  )
  const { active, press } = useRowKeys({ rows, rowKey, choice, onOpen, openKey, scrollTo })
  if (list.isLoading) return <LoadingRows label={t('loading')} />
  if (rows.length === 0 && error != null) return <ErrorPanel error={error} onRetry={retry} />
  if (rows.length === 0) return typeof empty === 'string' ? <EmptyState title={empty} /> : empty
  return (
    <div className={styles['list']} style={{ minHeight: Math.min(heightMin, virtual.getTotalSize()) }}>
      <ErrorPanel error={error} onRetry={retry} />
      <div role="status" className={styles['held']}>
        {list.held > 0 && (
          <button type="button" onClick={list.showHeld}>
            <ArrowUp size={14} aria-hidden />
            {p('newRows', { n: list.held })}
          </button>
        )}
      </div>
      <section
        ref={scroller}
        className={styles['scroller']}
        data-stale={error != null || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        onKeyDown={press}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: rows that are not in sight are not there, which a table cannot say */}
        <div
          role="table"
          aria-label={label}
          aria-rowcount={list.isWhole ? rows.length + 1 : -1}
          className={styles['table']}
          style={tracksOf(columns, choice !== undefined)}
        >
          {head}
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const row = rows[item.index]
              if (row === undefined) return null
              const key = rowKey(row)
              return (
                <TableRow<Row>
                  key={item.key}
                  row={row}
                  columns={columns}
                  onOpen={onOpen}
                  rowHeight={rowHeight}
                  index={item.index}
                  topPx={item.start}
                  measure={isPhone ? virtual.measureElement : undefined}
                  isActive={active === key}
                  isOpen={openKey === key}
                  isNew={list.isNew(key)}
                  isChosen={choice?.chosen.has(key)}
                  onChoose={choice && (() => choice.toggle(key))}
                />
              )
            })}
          </div>
        </div>
      </section>
      <Foot count={rows.length} isWhole={list.isWhole} total={props.total} />
      {list.isFull && (
        <p className={styles['full']} role="status">
          {p('listFull', { n: rowsMax })}
        </p>
      )}
      {more}
    </div>
  )
}

/** The widths of the columns, for the style sheet: of all, and of those that narrow screens show. */
function tracksOf<Row>(columns: readonly Column<Row>[], hasChoice: boolean): Record<string, string> {
  const widths = columns.map((column) => column.width)
  const narrowWidths = columns.flatMap((column) => (column.isExtra ? [] : [column.width]))
  const box = hasChoice ? ['16px'] : []
  return { '--tracks': [...box, ...widths].join(' '), '--narrow-tracks': [...box, ...narrowWidths].join(' ') }
}

function Foot({
  count,
  isWhole,
  total,
}: {
  count: number
  isWhole: boolean
  total: { n: number; isLeast: boolean } | undefined
}) {
  const p = useText(partsText)
  // A short list that is all there says so by itself.
  if (isWhole && total === undefined) return null
  const of = total && p(total.isLeast ? 'ofAtLeast' : 'of', { n: total.n })
  return (
    <div className={styles['foot']}>
      {p('shown', { n: count })}
      {of && ` ${of}`}
      {!isWhole && ` · ${p('moreAsYouScroll')}`}
    </div>
  )
}
