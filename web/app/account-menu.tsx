/** The account's menu: the operator, the theme, the language, and signing out. */
import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import { Check, Languages, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { errorMessage } from '../parts/error-panel.tsx'
import { linkTo } from '../parts/link-to.tsx'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useLanguage, useText } from '../text/text.ts'
import { useChooseLanguage } from './language.tsx'
import type { MenuProps } from './menu-button.tsx'
import { menuText } from './menu-text.ts'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

const themes = { light: Sun, dark: Moon, auto: Monitor } as const

export default function AccountMenu({ target }: MenuProps) {
  const t = useText(appText)
  const m = useText(menuText)
  const c = useText(sharedText)
  const { session, signOut } = useSession()
  const leaving = useSubmit(signOut)
  const { setColorScheme, colorScheme } = useMantineColorScheme()
  const language = useLanguage()
  const choose = useChooseLanguage()
  return (
    <Menu width={220} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.operator.name || session.operator.login} · {session.role}
        </Menu.Label>
        <Menu.Item leftSection={<UserRound size={16} aria-hidden />} renderRoot={linkTo('/account')}>
          {t('account')}
        </Menu.Item>
        <Menu.Divider />
        {(['light', 'dark', 'auto'] as const).map((scheme) => {
          const Icon = themes[scheme]
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} aria-hidden />}
              aria-current={colorScheme === scheme || undefined}
              onClick={() => setColorScheme(scheme)}
              rightSection={colorScheme === scheme && <Check size={14} aria-hidden />}
            >
              {m(scheme === 'auto' ? 'system' : scheme)}
            </Menu.Item>
          )
        })}
        <Menu.Divider />
        {(['en', 'ru'] as const).map((one) => (
          <Menu.Item
            key={one}
            leftSection={<Languages size={16} aria-hidden />}
            aria-current={language === one || undefined}
            onClick={() => choose(one)}
            rightSection={language === one && <Check size={14} aria-hidden />}
          >
            {one === 'en' ? 'English' : 'Русский'}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<LogOut size={16} aria-hidden />}
          closeMenuOnClick={false}
          onClick={() => leaving.submit()}
        >
          {c('signOut')}
        </Menu.Item>
        {leaving.error !== undefined && (
          <Text c="red" px="sm" role="alert">
            {errorMessage(leaving.error, {}, c)}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
