/** The operator's workspaces, to switch between them; nothing if there is only one. */
import { Menu, Text, VisuallyHidden } from '@mantine/core'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import { errorMessage } from '../parts/error-panel.tsx'
import { useMyWorkspaces } from '../parts/my-workspaces.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { goToWorkspace } from './go-to-workspace.ts'
import { menuText } from './menu-text.ts'

export function Workspaces() {
  const t = useText(menuText)
  const c = useText(sharedText)
  const [error, setError] = useState<unknown>()
  const items = useMyWorkspaces().data ?? []
  if (items.length < 2) return null
  async function goTo(id: string): Promise<void> {
    try {
      await goToWorkspace(id)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t('workspaces')}</Menu.Label>
      {items.map(({ id, name, is_current }) => (
        <Menu.Item
          key={id}
          closeMenuOnClick={is_current}
          leftSection={<Building2 size={15} aria-hidden />}
          rightSection={
            is_current && (
              <>
                <span aria-hidden>✓</span>
                <VisuallyHidden>✓</VisuallyHidden>
              </>
            )
          }
          onClick={() => void (is_current || goTo(id))}
        >
          {name}
        </Menu.Item>
      ))}
      {error !== undefined && (
        <Text size="xs" c="red" px="sm" role="alert">
          {errorMessage(error, {}, c)}
        </Text>
      )}
    </>
  )
}
