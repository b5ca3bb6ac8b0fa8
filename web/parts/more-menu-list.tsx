/** The list of a menu; only ever loaded by way of `MoreMenu`. */
import { Menu } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'

export interface MenuAction {
  label: string
  icon: LucideIcon
  onClick(): void
  /** A line before it. */
  isApart?: boolean
  isDangerous?: boolean
}

export default function MoreMenuList({ target, actions }: { target: ReactNode; actions: readonly MenuAction[] }) {
  return (
    <Menu defaultOpened width={230}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon: Icon, onClick, isApart = false, isDangerous = false }) => (
          <Fragment key={label}>
            {isApart && <Menu.Divider />}
            <Menu.Item
              leftSection={<Icon size={16} aria-hidden />}
              onClick={onClick}
              {...(isDangerous && { color: 'red' })}
            >
              {label}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
