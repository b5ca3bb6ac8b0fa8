/** The menu of the workspace switch: the operator's workspaces, and the page that lists and creates them. */
import { Menu, Text } from '@mantine/core'
import { Check, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { errorMessage } from '../parts/error-panel.tsx'
import { linkTo } from '../parts/link-to.tsx'
import { useMyWorkspaces } from '../parts/my-workspaces.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { goToWorkspace } from './go-to-workspace.ts'
import type { MenuProps } from './menu-button.tsx'
import { menuText } from './menu-text.ts'
import { useSession } from './session.tsx'

export default function WorkspaceMenu({ target }: MenuProps) {
  const t = useText(menuText)
  const c = useText(sharedText)
  const { may } = useSession()
  const [error, setError] = useState<unknown>()
  const items = useMyWorkspaces().data ?? []
  async function goTo(id: string): Promise<void> {
    try {
      await goToWorkspace(id)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Menu position="bottom-start" width={240} defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('workspaces')}</Menu.Label>
        {items.map(({ id, name, is_current }) => (
          <Menu.Item
            key={id}
            closeMenuOnClick={is_current}
            aria-current={is_current || undefined}
            rightSection={is_current && <Check size={14} aria-hidden />}
            onClick={() => void (is_current || goTo(id))}
          >
            {name}
          </Menu.Item>
        ))}
        {error !== undefined && (
          <Text c="red" px="sm" role="alert">
            {errorMessage(error, {}, c)}
          </Text>
        )}
        {may('operators.read') && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<Settings2 size={16} aria-hidden />} renderRoot={linkTo('/workspaces')}>
              {t('manageWorkspaces')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
