/** A button of the bar with a menu that is loaded at the first click: menus are a large part of the library. */
import { type ComponentType, lazy, type ReactNode, Suspense, useMemo, useState } from 'react'

interface MenuButtonProps {
  label: string
  className: string | undefined
  icon: ReactNode
  load(): Promise<{ default: ComponentType<MenuProps> }>
}

/** What such a menu gets: the button it hangs from. */
export interface MenuProps {
  target: ReactNode
}

export function MenuButton({ label, className, icon, load }: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const Menu = useMemo(() => lazy(load), [load])
  const button = (
    <button type="button" className={className} aria-label={label} aria-haspopup="menu" onClick={() => setOpen(true)}>
      {icon}
    </button>
  )
  if (!isOpen) return button
  const target = (
    <button type="button" className={className} aria-label={label}>
      {icon}
    </button>
  )
  return (
    <Suspense fallback={button}>
      <Menu target={target} />
    </Suspense>
  )
}
