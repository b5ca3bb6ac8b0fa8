/** On every page, as long as the service wants a second factor and the operator has none: where to set one up. */
import { Alert, Anchor } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'
import { useSession } from './session.tsx'

export default function FactorPrompt() {
  const f = useText(factorText)
  const { session } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // The account says so itself, where it is to be done.
  if (!session.second_factor_wanted || path === '/account') return null
  return (
    <Alert color="yellow" variant="light" mb="md">
      {f('factorWanted')}{' '}
      <Anchor size="sm" c="inherit" td="underline" renderRoot={(props) => <Link to={'/account' as '/'} {...props} />}>
        {f('factorSetUp')}
      </Anchor>
    </Alert>
  )
}
