/** The operator's account: name, password, second factors, sessions, personal keys. */
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { FactorsSection } from './factors.tsx'
import { OwnKeys } from './own-keys.tsx'
import { PasswordSection } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { accountText } from './text.ts'
import { You } from './you.tsx'

export default function AccountPage() {
  const t = useText(accountText)
  const { may } = useSession()
  const factors = useQuery({
    queryKey: ['account', 'factors'],
    queryFn: ({ signal }) => call('GET /v1/admin/auth/factors', { signal }),
  })
  return (
    <Page title={t('title')} about={t('about')}>
      <You />
      <ErrorPanel error={factors.error} onRetry={() => void factors.refetch()} />
      {factors.isPending && <Skeleton height={160} />}
      {factors.data && (
        <>
          <FactorsSection factors={factors.data} />
          <PasswordSection hasPassword={factors.data.has_password} />
        </>
      )}
      <Sessions />
      {may('keys.own') && <OwnKeys />}
    </Page>
  )
}
