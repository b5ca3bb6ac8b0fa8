/** An empty place: what would be here, and the first step as a button. For lists without a match it is `NothingFits`. */
import { Button } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import styles from './empty-state.module.css'
import { partsText } from './text.ts'

interface EmptyStateProps {
  icon?: LucideIcon
  /** What is not here yet, such as "No channel yet". */
  title: ReactNode
  /** What it would do, and how to begin. */
  children?: ReactNode
  /** One primary button at most. */
  actions?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles['empty']}>
      {Icon && (
        <span className={styles['icon']}>
          <Icon size={20} aria-hidden />
        </span>
      )}
      <div className={styles['title']}>{title}</div>
      {children !== undefined && <div className={styles['words']}>{children}</div>}
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </div>
  )
}

interface NothingFitsProps {
  /** What was looked for, such as "No turn fits these filters". */
  title: string
  /** What there is without the filters. */
  children?: ReactNode
  /** How many filters are set. */
  filters: number
  onClear(): void
}

export function NothingFits({ title, children, filters, onClear }: NothingFitsProps) {
  const p = useText(partsText)
  return (
    <EmptyState
      title={title}
      actions={
        <Button variant="default" onClick={onClear}>
          {p('clearFilters', { n: filters })}
        </Button>
      }
    >
      {children}
    </EmptyState>
  )
}
