/** Overview: whether the service is well, what is still to be set up, and the four signals over time. */
import '@mantine/core/styles/SimpleGrid.css'
import { Alert, Anchor, Group, NativeSelect, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { useText } from '../../text/text.ts'
import { Checklist } from './checklist.tsx'
import { PerChannel } from './per-channel.tsx'
import { DeliverySignal, ErrorSignal, LatencySignal, TurnCounts } from './signals.tsx'
import { overviewText } from './text.ts'
import { Wellbeing } from './wellbeing.tsx'

const filtersByDefault = { minutes: '60' }

export default function OverviewPage() {
  const t = useText(overviewText)
  const { may } = useSession()
  const [filters, filter] = useFilters(filtersByDefault)
  const minutes = filters.minutes === '1440' ? '1440' : '60'
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
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <NativeSelect
          aria-label={t('span')}
          value={minutes}
          onChange={(event) => filter({ minutes: event.currentTarget.value })}
          data={[
            { value: '60', label: t('hour') },
            { value: '1440', label: t('day') },
          ]}
        />
      }
    >
      {pending > 0 && (
        <Alert color="yellow" variant="light">
          <Group gap="xs">
            <Text size="sm">{t('restart', { n: pending })}</Text>
            <Anchor
              size="sm"
              c="inherit"
              underline="always"
              renderRoot={(props) => <Link to={'/settings' as '/'} {...props} />}
            >
              {t('toSettings')}
            </Anchor>
          </Group>
        </Alert>
      )}
      {overview.isError && <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />}
      {!data && overview.isPending && <Skeleton height={120} />}
      {data && <Wellbeing overview={data} />}
      {data && <Checklist overview={data} settings={settings.data} />}
      <Signals minutes={minutes} />
    </Page>
  )
}

function Signals({ minutes }: { minutes: '60' | '1440' }) {
  const t = useText(overviewText)
  const signals = useQuery({
    queryKey: ['signals'],
    queryFn: ({ signal }) => call('GET /v1/admin/signals', { signal }),
    refetchInterval: 10_000,
  })
  const series = useQuery({
    queryKey: ['signals', 'series', minutes],
    queryFn: ({ signal }) => call('GET /v1/admin/signals/series', { query: { minutes }, signal }),
    refetchInterval: minutes === '60' ? 10_000 : 60_000,
    placeholderData: (before) => before,
  })
  const failed = [signals, series].find(({ isError }) => isError)
  return (
    <>
      {failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !(signals.data && series.data) && <Skeleton height={300} />}
      {signals.data && series.data && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <LatencySignal signals={signals.data} series={series.data} />
            <ErrorSignal signals={signals.data} series={series.data} />
            <DeliverySignal signals={signals.data} series={series.data} />
            <TurnCounts series={series.data} />
          </SimpleGrid>
          {(signals.data.is_partial || series.data.points.some((point) => point.is_partial)) && (
            <Text size="xs" c="dimmed">
              {t('partial')}
            </Text>
          )}
          <PerChannel signals={signals.data} />
        </>
      )}
    </>
  )
}
