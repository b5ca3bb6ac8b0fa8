/** Before each page: checks the role's permission, so that a forbidden page loads nothing. */
import { Alert, Stack, Text, Title } from '@mantine/core'
import { Navigate, Outlet, useMatches } from '@tanstack/react-router'
import type { Permission } from '../api/session.ts'
import { pages } from '../pages/pages.ts'
import { targetOf } from '../parts/link-to.tsx'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { useSession } from './session.tsx'
import { appText } from './text.ts'

/** The page of the address. A role without the overview starts with the first page that it may see. */
export function Gate() {
  const { may } = useSession()
  const path: string | undefined = useMatches().at(-1)?.fullPath
  const page = pages.find((one) => one.path === path)
  if (!page || may(page.permission)) return <Outlet />
  if (page.path !== '/') return <BeyondRole key={page.path} permission={page.permission} />
  const first = pages.find(({ menu, permission }) => menu && may(permission))
  return <Navigate {...targetOf(first?.path ?? '/account')} replace />
}

function BeyondRole({ permission }: { permission: Permission }) {
  const t = useText(appText)
  const c = useText(sharedText)
  return (
    <Stack p="md">
      <Title order={1} size="h4">
        {t('beyondRole')}
      </Title>
      <Alert color="yellow" variant="light" role="alert">
        <Text size="sm">{`${c('notPermitted')} ${t('lacks', { permission })}`}</Text>
      </Alert>
    </Stack>
  )
}
