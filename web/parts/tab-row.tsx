/**
 * A row of tabs with counts. Tabs that are addresses are links (`PageLink` with `aria-current`); tabs within a page are
 * `TabButton`s. `[` and `]` step through the first row of a page; on a phone the row scrolls.
 */
import type { ReactNode } from 'react'
import { Count, type CountTone } from './count.tsx'
import styles from './tab-row.module.css'

export function TabRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={styles['tabs']} data-tabs>
      {children}
    </nav>
  )
}

interface TabButtonProps {
  isChosen: boolean
  onChoose(): void
  count?: number
  tone?: CountTone
  children: ReactNode
}

/** A saved view or a part: chosen by filters that stand in the address, so that Back returns to it. */
export function TabButton({ isChosen, onChoose, count = 0, tone, children }: TabButtonProps) {
  return (
    <button type="button" data-tab aria-current={isChosen || undefined} onClick={onChoose}>
      {children}
      <Count count={count} tone={tone} />
    </button>
  )
}
