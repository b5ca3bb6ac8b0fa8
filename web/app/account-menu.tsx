/** The account's menu: the operator, the workspaces, the theme, the language, and signing out. */

import { ActionIcon, Menu, Text, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { Languages, LogOut, Moon, UserRound } from 'lucide-react'
import { errorMessage } from '../parts/error-panel.tsx'
import { linkTo } from '../parts/link-to.tsx'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useLanguage, useText } from '../text/text.ts'
import { useChooseLanguage } from './language.tsx'
import { menuText } from './menu-text.ts'
import { useSession } from './session.tsx'
import { appText } from './text.ts'
import { Workspaces } from './workspaces.tsx'

export default function AccountMenu() {
  const t = useText(appText)
  const m = useText(menuText)
  const c = useText(sharedText)
  const { session, signOut } = useSession()
  const leaving = useSubmit(signOut)
  const { setColorScheme, colorScheme } = useMantineColorScheme()
  const language = useLanguage()
  const choose = useChooseLanguage()
  const themes = ['light', 'dark', 'auto'] as const
  return (
    <Menu position="bottom-end" width={220} withinPortal defaultOpened>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('account')}>
          <UserRound size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.operator.name || session.operator.login} · {session.role}
        </Menu.Label>
        <Menu.Item leftSection={<UserRound size={15} aria-hidden />} renderRoot={linkTo('/account')}>
          {t('account')}
        </Menu.Item>
        <Workspaces />
        <Menu.Divider />
        {themes.map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Moon size={15} aria-hidden />}
            onClick={() => setColorScheme(scheme)}
            rightSection={<Chosen isChosen={colorScheme === scheme} />}
          >
            {m(scheme === 'auto' ? 'system' : scheme)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {(['en', 'ru'] as const).map((one) => (
          <Menu.Item
            key={one}
            leftSection={<Languages size={15} aria-hidden />}
            onClick={() => choose(one)}
            rightSection={<Chosen isChosen={language === one} />}
          >
            {one === 'en' ? 'English' : 'Русский'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={15} aria-hidden />}
          closeMenuOnClick={false}
          onClick={() => leaving.submit()}
        >
          {c('signOut')}
        </Menu.Item>
        {leaving.error !== undefined && (
          <Text size="xs" c="red" px="sm" role="alert">
            {errorMessage(leaving.error, {}, c)}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function Chosen({ isChosen }: { isChosen: boolean }) {
  if (!isChosen) return null
  return (
    <>
      <span aria-hidden>✓</span>
      <VisuallyHidden>✓</VisuallyHidden>
    </>
  )
}
