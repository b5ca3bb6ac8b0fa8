/** The menu of help: the keys, the API's description, the parts of the UI, and what runs here. */
import { Menu } from '@mantine/core'
import { Braces, Component, Info, Keyboard } from 'lucide-react'
import { apiBase } from '../api/call.ts'
import { linkTo } from '../parts/link-to.tsx'
import { useText } from '../text/text.ts'
import type { MenuProps } from './menu-button.tsx'
import { menuText } from './menu-text.ts'
import { openKeysHelp } from './palette-request.ts'
import { useSession } from './session.tsx'

export default function HelpMenu({ target }: MenuProps) {
  const t = useText(menuText)
  const { may } = useSession()
  return (
    <Menu width={220} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Keyboard size={16} aria-hidden />}
          rightSection={<kbd className="kbd">?</kbd>}
          onClick={openKeysHelp}
        >
          {t('keys')}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={`${apiBase}/openapi.json`}
          target="_blank"
          rel="noreferrer"
          leftSection={<Braces size={16} aria-hidden />}
        >
          {t('openApi')}
        </Menu.Item>
        <Menu.Item leftSection={<Component size={16} aria-hidden />} renderRoot={linkTo('/components')}>
          {t('components')}
        </Menu.Item>
        {may('overview.read') && (
          <Menu.Item leftSection={<Info size={16} aria-hidden />} renderRoot={linkTo('/about')}>
            {t('about')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
