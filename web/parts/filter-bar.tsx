/**
 * The row above a list: its search, the chosen filters as chips, "+ Filter" for the others, and at the right what is about
 * the list (columns). The values live in the address (`useFilters`).
 *
 *   <FilterBar search={<FilterInput … />} end={<ColumnChoice … />}>
 *     <FilterChip name={t('status')} value={t('failed')} onClear={() => change({ status: '' })} />
 *     <AddFilter label={…}>{(close) => …}</AddFilter>
 *   </FilterBar>
 */
import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import styles from './filter-bar.module.css'
import { PopoverButton } from './popover-button.tsx'
import { partsText } from './text.ts'

export function FilterBar({ search, end, children }: { search?: ReactNode; end?: ReactNode; children?: ReactNode }) {
  return (
    <search className={styles['bar']}>
      {search !== undefined && <div className={styles['search']}>{search}</div>}
      {children}
      {end !== undefined && <div className={styles['end']}>{end}</div>}
    </search>
  )
}

/** A chosen filter: blue, with a button that clears it. */
export function FilterChip({ name, value, onClear }: { name: string; value: ReactNode; onClear(): void }) {
  const p = useText(partsText)
  return (
    <span className={styles['chip']}>
      {name} <b>{value}</b>
      <button type="button" aria-label={p('clearFilter', { name })} onClick={onClear}>
        <X size={14} aria-hidden />
      </button>
    </span>
  )
}

/** The filters that are not chosen yet, in a layer. `F` opens the first of a page. */
export function AddFilter({ label, children }: { label?: string; children(close: () => void): ReactNode }) {
  const p = useText(partsText)
  return (
    <PopoverButton
      isFilter
      className={styles['add']}
      content={
        <>
          <Plus size={14} aria-hidden />
          {label ?? p('addFilter')}
        </>
      }
    >
      {children}
    </PopoverButton>
  )
}
