/** A card: a title, a grey fact behind it, actions at the right, and the content. `isFlush`: lists reach to its edges. */
import type { ReactNode } from 'react'
import styles from './card.module.css'

interface CardProps {
  title?: ReactNode
  fact?: ReactNode
  actions?: ReactNode
  isFlush?: boolean
  /** Of the section; by default the title, when it is a text. Empty: what is inside has that name. */
  label?: string
  children?: ReactNode
}

export function Card({ title, fact, actions, isFlush = false, label, children }: CardProps) {
  const name = label ?? (typeof title === 'string' ? title : undefined)
  return (
    <section className={styles['card']} aria-label={name || undefined}>
      {(title !== undefined || actions !== undefined) && (
        <div className={styles['head']}>
          {title !== undefined && <h2 className={styles['title']}>{title}</h2>}
          {fact !== undefined && <span className={styles['fact']}>{fact}</span>}
          {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
        </div>
      )}
      <div className={styles['body']} data-flush={isFlush || undefined}>
        {children}
      </div>
    </section>
  )
}

/** Rows of a card, with a line between each two. */
export function CardList({ children }: { children: ReactNode }) {
  return <div className={styles['list']}>{children}</div>
}

/** Cards beside each other, as many as fit. */
export function CardGrid({ leastWidthPx = 320, children }: { leastWidthPx?: number; children: ReactNode }) {
  return (
    <div className={styles['grid']} style={{ '--least': `${leastWidthPx}px` } as Record<string, string>}>
      {children}
    </div>
  )
}
