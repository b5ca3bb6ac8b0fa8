/** What the shell shows to some only, in one piece that is loaded behind what shows first. */

import { Alert, Anchor, Text } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { linkTo } from '../parts/link-to.tsx'
import { useMyWorkspaces } from '../parts/my-workspaces.ts'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'
import { useSession } from './session.tsx'

/** On every page, as long as the service wants a second factor and the operator has none: where to set one up. */
export function FactorPrompt() {
  const f = useText(factorText)
  const { session } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // The account says so itself, where it is to be done.
  if (!session.second_factor_wanted || path === '/account') return null
  return (
    <Alert color="yellow" variant="light" mb="md">
      {f('factorWanted')}{' '}
      <Anchor size="sm" c="inherit" td="underline" renderRoot={linkTo('/account')}>
        {f('factorSetUp')}
      </Anchor>
    </Alert>
  )
}

/** In which workspace one is, where one holds a role in several: what is done is done there. */
export function WorkspaceName() {
  const workspaces = useMyWorkspaces().data ?? []
  if (workspaces.length < 2) return null
  return (
    <Text size="sm" c="dimmed" truncate>
      {workspaces.find(({ is_current }) => is_current)?.name}
    </Text>
  )
}
