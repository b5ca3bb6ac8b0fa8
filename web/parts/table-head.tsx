/** The head of a long list: titles, the arrow of the sorted column, and the box that chooses all loaded rows. */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useText } from '../text/text.ts'
import { Check } from './check.tsx'
import styles from './data-table.module.css'
import type { Column } from './table-row.tsx'
import { partsText } from './text.ts'
import type { Choice } from './use-row-keys.ts'

export interface Sorting {
  /** Of the sorted column. */
  key: string
  isDescending: boolean
  onSort(key: string, isDescending: boolean): void
}

interface HeadRowProps<Row> {
  columns: readonly Column<Row>[]
  sorting: Sorting | undefined
  choice: Choice | undefined
  /** Of the loaded rows. */
  keys: readonly string[]
}

export function HeadRow<Row>({ columns, sorting, choice, keys }: HeadRowProps<Row>) {
  const p = useText(partsText)
  const chosen = choice ? keys.filter((key) => choice.chosen.has(key)).length : 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of a table that is no table element
    // biome-ignore lint/a11y/useFocusableInteractive: a heading is read, not operated
    <div role="row" className={styles['head']} aria-rowindex={1}>
      {choice && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div role="columnheader">
          <Check
            label={p('chooseAll')}
            isChecked={chosen > 0 && chosen === keys.length}
            isMixed={chosen > 0 && chosen < keys.length}
            onToggle={() => choice.set(chosen === keys.length ? [] : keys)}
          />
        </div>
      )}
      {columns.map((column) => {
        const isSorted = sorting?.key === column.key
        const Arrow = sorting?.isDescending ? ArrowDown : ArrowUp
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            role="columnheader"
            key={column.key}
            data-extra={column.isExtra || undefined}
            data-number={column.isNumber || undefined}
            aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined}
          >
            {sorting && column.isSortable ? (
              <button
                type="button"
                className={styles['sort']}
                onClick={() => sorting.onSort(column.key, isSorted ? !sorting.isDescending : true)}
              >
                {column.title}
                {isSorted && <Arrow size={12} aria-hidden />}
              </button>
            ) : column.isTitleUnseen ? (
              <span className="unseen">{column.title}</span>
            ) : (
              column.title
            )}
          </div>
        )
      })}
    </div>
  )
}
