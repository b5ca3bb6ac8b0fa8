/**
 * A short table inside a card or a dialog, all of it there: plain `thead`, `tr`, `th`, `td` within. Cells of numbers have
 * `data-number`, cells that narrow screens do without `data-extra`. Long lists are `DataTable`.
 */
import type { ReactNode } from 'react'
import styles from './small-table.module.css'

interface SmallTableProps {
  label: string
  /** Narrower, it scrolls sideways by itself. */
  leastWidthPx?: number
  /** Higher, it scrolls by itself, below its head. */
  heightMaxPx?: number
  children: ReactNode
}

export function SmallTable({ label, leastWidthPx, heightMaxPx, children }: SmallTableProps) {
  const table = (
    <table aria-label={label} className={styles['table']} style={{ minWidth: leastWidthPx }}>
      {children}
    </table>
  )
  if (leastWidthPx === undefined && heightMaxPx === undefined) return table
  return (
    // biome-ignore lint/a11y/useSemanticElements: no landmark, as its card is one, and no group of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <div role="group" className={styles['scroller']} style={{ maxHeight: heightMaxPx }} aria-label={label} tabIndex={0}>
      {table}
    </div>
  )
}
