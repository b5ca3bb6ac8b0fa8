/** Parts of the shell that only some operators see, in one chunk that is loaded after the first paint. */

import { Alert, Anchor, Text } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { linkTo } from '../parts/link-to.tsx'
import { useMyWorkspaces } from '../parts/my-workspaces.ts'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'
import { useSession } from './session.tsx'

/** A notice on every page while the service requires a second factor and the operator has none, with a link to set one up. */
export function FactorPrompt() {
  const f = useText(factorText)
  const { session } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // The account page has its own notice.
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

/** The current workspace, for operators with roles in several. */
export function WorkspaceName() {
  const workspaces = useMyWorkspaces().data ?? []
  if (workspaces.length < 2) return null
  return (
    <Text size="sm" c="dimmed" truncate>
      {workspaces.find(({ is_current }) => is_current)?.name}
    </Text>
  )
}
