/** Overview: health and counts at a glance. */
import '@mantine/core/styles/SimpleGrid.css'
import { Card, Group, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { overviewText } from './text.ts'

export default function OverviewPage() {
  const t = useText(overviewText)
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /v1/admin/overview', { signal }),
    refetchInterval: 5_000,
  })
  const { data } = overview
  return (
    <Page title={t('title')} about={t('about')}>
      {overview.isError && <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />}
      {!data && overview.isPending && <Skeleton height={120} />}
      {data && (
        <>
          <Group>
            <StatusBadge tone={data.health.ready ? 'good' : 'bad'}>
              {t(data.health.ready ? 'ready' : data.health.draining ? 'draining' : 'notReady')}
            </StatusBadge>
            <StatusBadge tone={data.health.database === 'up' ? 'good' : 'bad'}>
              {`${t('database')}: ${data.health.database}`}
            </StatusBadge>
            <Text size="sm" c="dimmed">
              {t('version')} {data.version}
            </Text>
          </Group>
          <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }}>
            <Figure label={t('running')} value={data.queue.running} />
            <Figure label={t('waiting')} value={data.queue.waiting} />
            <Figure
              label={t('conversations')}
              value={data.counts.conversations}
              isLeast={data.at_least.includes('conversations')}
            />
            <Figure label={t('messages')} value={data.counts.messages} isLeast={data.at_least.includes('messages')} />
            <Figure label={t('channels')} value={data.counts.channels} />
            <Figure label={t('keys')} value={data.counts.api_keys} />
          </SimpleGrid>
        </>
      )}
    </Page>
  )
}

function Figure({ label, value, isLeast = false }: { label: string; value: number; isLeast?: boolean }) {
  const t = useText(overviewText)
  const language = useLanguage()
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={600}>
        {isLeast ? t('atLeast', { n: value }) : value.toLocaleString(language)}
      </Text>
    </Card>
  )
}
