/** A banner: one sentence in bold, one with the cause, at most two buttons. At most one a page, above its content. */
import { CircleAlert, CircleCheck, Clock, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './banner.module.css'

export type BannerTone = 'info' | 'ok' | 'wait' | 'warn' | 'bad'

const icons = { info: Info, ok: CircleCheck, wait: Clock, warn: TriangleAlert, bad: CircleAlert } as const

interface BannerProps {
  tone: BannerTone
  /** In bold, before the rest. */
  title?: ReactNode
  /** The cause, and the buttons. */
  children?: ReactNode
  actions?: ReactNode
  /** `alert` for what the operator has just caused. */
  role?: 'alert' | 'status'
}

export function Banner({ tone, title, children, actions, role }: BannerProps) {
  const Icon = icons[tone]
  return (
    <div className={styles['banner']} data-tone={tone} role={role}>
      <Icon size={18} aria-hidden />
      <div className={styles['words']}>
        {title !== undefined && <strong>{title}</strong>} {children}
      </div>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </div>
  )
}
