/** The whole menu on a phone, with what the bar has no room for there. */
import { Drawer } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useFocusReturn } from '../parts/use-focus-return.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { MenuLinks } from './menu.tsx'
import { MenuFoot } from './menu-foot.tsx'
import styles from './shell.module.css'

export default function MoreSheet({ waiting, onClose }: { waiting: number; onClose(): void }) {
  const c = useText(sharedText)
  useFocusReturn()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const opened = useRef(path)
  useEffect(() => {
    if (path !== opened.current) onClose()
  }, [path, onClose])
  return (
    <Drawer
      opened
      onClose={onClose}
      title={c('showMenu')}
      position="bottom"
      size="80%"
      closeButtonProps={{ 'aria-label': c('close') }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <nav aria-label={c('showMenu')} className={styles['sheet']}>
        <MenuLinks waiting={waiting} />
      </nav>
      <MenuFoot />
    </Drawer>
  )
}
