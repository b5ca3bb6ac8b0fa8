/** The account's button. Its menu is loaded at the first click: menus are a large part of the library. */
import { ActionIcon } from '@mantine/core'
import { UserRound } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useText } from '../text/text.ts'
import { appText } from './text.ts'

const AccountMenu = lazy(() => import('./account-menu.tsx'))

export function AccountButton() {
  const t = useText(appText)
  const [isOpen, setOpen] = useState(false)
  const button = (
    <ActionIcon variant="default" size="lg" aria-label={t('account')} onClick={() => setOpen(true)}>
      <UserRound size={18} aria-hidden />
    </ActionIcon>
  )
  return isOpen ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  )
}
