/** One row of a long list. */
import { type KeyboardEvent, memo, type ReactNode } from 'react'
import styles from './data-table.module.css'

export interface Column<Row> {
  key: string
  title: string
  /** A CSS grid track, such as `minmax(120px, 1fr)` or `90px`. */
  width: string
  cell(row: Row): ReactNode
  /** Not shown on narrow screens. */
  isExtra?: boolean
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
export const TableRow = memo(function TableRow({
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
