/** Overview: what needs somebody, the setup checklist, and the four signals over time. */
import { SegmentedControl, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Checklist } from './checklist.tsx'
import { ServiceHealth } from './health.tsx'
import { NeedsYou } from './needs-you.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'
import { type Range, rangeOf, ranges } from './use-signals.ts'

/** Loaded after the health, which comes first. */
const SignalsPart = lazy(() => import('./signals-part.tsx'))

const byDefault = { minutes: '60' }
const rangeNames = {
  60: 'hour',
  360: 'sixHours',
  1440: 'day',
  10080: 'week',
  43200: 'month',
} as const satisfies Record<Range, string>

export default function OverviewPage() {
  const t = useText(overviewText)
  const { may } = useSession()
  const [filters, filter] = useFilters(byDefault)
  const range = rangeOf(filters.minutes)
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
  const isLong = range === '10080' || range === '43200'
  const side = (
    <div className={styles['side']}>
      {!data && overview.isPending && <Skeleton height={240} />}
      {data && <NeedsYou overview={data} pendingRestart={settings.data?.pending_restart ?? 0} />}
      {data && <ServiceHealth overview={data} />}
    </div>
  )
  return (
    <Page
      title={t('title')}
      about={t(isLong ? 'comparedBefore' : 'comparedYesterday')}
      actions={
        <SegmentedControl
          aria-label={t('span')}
          value={range}
          onChange={(minutes) => filter({ minutes })}
          data={ranges.map((value) => ({ value, label: t(rangeNames[value]) }))}
        />
      }
    >
      {overview.isError && <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />}
      {data && <Checklist overview={data} settings={settings.data} />}
      <Suspense fallback={side}>
        <SignalsPart range={range} side={side} />
      </Suspense>
    </Page>
  )
}
