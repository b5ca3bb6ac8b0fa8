/** What can be done with the chosen rows; it floats at the foot of the page while there are any. */
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import styles from './bulk-bar.module.css'
import { partsText } from './text.ts'

/** @param children plain buttons, the dangerous one last */
export function BulkBar({ count, onClear, children }: { count: number; onClear(): void; children: ReactNode }) {
  const p = useText(partsText)
  if (count === 0) return null
  return (
    <div className={styles['bar']} role="toolbar" aria-label={p('chosen', { n: count })}>
      <span>{p('chosen', { n: count })}</span>
      <hr />
      {children}
      <hr />
      <button type="button" aria-label={p('clearChoice')} onClick={onClear}>
        <X size={16} aria-hidden />
      </button>
    </div>
  )
}
