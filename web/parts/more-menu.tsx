/** The rare actions behind "…". The menu is loaded at the first click: menus are a large part of the library. */
import { Ellipsis, EllipsisVertical } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import styles from './more-menu.module.css'
import type { MenuAction } from './more-menu-list.tsx'

const MoreMenuList = lazy(() => import('./more-menu-list.tsx'))

interface MoreMenuProps {
  /** Names the button for screen readers. */
  label: string
  actions: readonly MenuAction[]
  /** Inside a list or a message. */
  isSmall?: boolean
}

export function MoreMenu({ label, actions, isSmall = false }: MoreMenuProps) {
  const [isOpen, setOpen] = useState(false)
  if (actions.length === 0) return null
  const Icon = isSmall ? EllipsisVertical : Ellipsis
  const button = (
    <button
      type="button"
      className={styles['button']}
      data-small={isSmall || undefined}
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setOpen(true)}
    >
      <Icon size={16} aria-hidden />
    </button>
  )
  if (!isOpen) return button
  return (
    <Suspense fallback={button}>
      <MoreMenuList target={button} actions={actions} />
    </Suspense>
  )
}
