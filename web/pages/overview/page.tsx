/** Overview: health, the setup checklist, and the four signals over time. */

import { Anchor, Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Checklist } from './checklist.tsx'
import { ServiceHealth } from './health.tsx'
import { overviewText } from './text.ts'

/** Loaded after the health, which comes first. */
const SignalsPart = lazy(() => import('./signals-part.tsx'))

export default function OverviewPage() {
  const t = useText(overviewText)
  const { may } = useSession()
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /v1/admin/overview', { signal }),
    refetchInterval: 5_000,
  })
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('GET /v1/admin/settings', { signal }),
    enabled: may('settings.read'),
  })
  useRefreshOn(['settings.changed'], ['settings'])
  const { data } = overview
  const pending = settings.data?.pending_restart ?? 0
  return (
    <Page title={t('title')} about={t('about')}>
      {pending > 0 && (
        <Banner tone="warn">
          <Group gap="sm">
            <Text>{t('restart', { n: pending })}</Text>
            <Anchor c="inherit" underline="always" renderRoot={linkTo('/settings')}>
              {t('toSettings')}
            </Anchor>
          </Group>
        </Banner>
      )}
      {overview.isError && <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />}
      {!data && overview.isPending && <Skeleton height={120} />}
      {data && <ServiceHealth overview={data} />}
      {data && <Checklist overview={data} settings={settings.data} />}
      <Suspense fallback={<Skeleton height={300} />}>
        <SignalsPart />
      </Suspense>
    </Page>
  )
}
