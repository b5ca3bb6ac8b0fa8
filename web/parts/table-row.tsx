/** One row of a long list. */
import { type KeyboardEvent, memo, type ReactNode } from 'react'
import { useText } from '../text/text.ts'
import { Check } from './check.tsx'
import styles from './data-table.module.css'
import { partsText } from './text.ts'

/** Where a cell stands on a phone: first line at the left and right, second line from the left and at its end. */
export type PhonePlace = 'title' | 'aside' | 'line' | 'end' | 'none'

export interface Column<Row> {
  key: string
  title: string
  /** The title is for screen readers alone: of a column with a menu. */
  isTitleUnseen?: boolean
  /** A CSS grid track, such as `minmax(120px, 1fr)` or `90px`. */
  width: string
  cell(row: Row): ReactNode
  /** The column that says what the row is: the widest, in the colour of what is read. */
  isMain?: boolean
  /** At the right, with digits of one width. */
  isNumber?: boolean
  isSortable?: boolean
  /** By default the first column is the title, and the others follow in the second line. */
  phone?: PhonePlace
  /** Not shown up to 900 px. */
  isExtra?: boolean
}

interface TableRowProps<Row> {
  row: Row
  columns: readonly Column<Row>[]
  index: number
  topPx: number
  rowHeight: number
  onOpen: ((row: Row) => void) | undefined
  /** Undefined: every row is as high as `rowHeight`. */
  measure: ((element: Element | null) => void) | undefined
  /** Under the keyboard. */
  isActive: boolean
  /** Open beside the list. */
  isOpen: boolean
  /** Came while the list was shown. */
  isNew: boolean
  isChosen: boolean | undefined
  onChoose: (() => void) | undefined
}

/** Memoized, so that scrolling renders only rows that become visible. */
export const TableRow = memo(
  function TableRow(props: TableRowProps<unknown>) {
    const { row, columns, index, topPx, rowHeight, onOpen, measure, isChosen, onChoose } = props
    const p = useText(partsText)
    return (
      // biome-ignore lint/a11y/useSemanticElements: rows that are not in sight are not there, which a table cannot say
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isChosen}
        className={styles['row']}
        data-opens={onOpen ? true : undefined}
        data-active={props.isActive || undefined}
        data-open={props.isOpen || undefined}
        data-new={props.isNew || undefined}
        style={{ transform: `translateY(${topPx}px)`, [measure ? 'minHeight' : 'height']: rowHeight }}
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
        {onChoose && (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div role="cell" data-phone="check">
            <Check label={p('choose')} isChecked={isChosen ?? false} onToggle={onChoose} />
          </div>
        )}
        {columns.map((column, at) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            role="cell"
            key={column.key}
            data-phone={column.phone ?? (column.isExtra ? 'none' : at === 0 ? 'title' : 'line')}
            data-extra={column.isExtra || undefined}
            data-main={column.isMain || undefined}
            data-number={column.isNumber || undefined}
          >
            {column.cell(row)}
          </div>
        ))}
      </div>
    )
  },
  (before, after) => {
    const names = Object.keys(after) as (keyof TableRowProps<unknown>)[]
    // A new function that chooses the same row is no change.
    return names.every((name) => name === 'onChoose' || before[name] === after[name])
  },
) as <Row>(props: TableRowProps<Row>) => ReactNode

/** A click on a button or link in a row does not open the row. */
function isOwnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('button, a, input, label, [role="checkbox"]') !== null
}
