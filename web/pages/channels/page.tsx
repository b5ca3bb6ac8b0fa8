/** Channels: their kind, their health, and how much was not delivered. */

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { useChannelAdapters } from '../../parts/channel-adapters.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Channel, Health } from './health.tsx'
import { channelsText } from './text.ts'

const pageRows = 50
const refetchMs = 5_000

export default function ChannelsPage() {
  const t = useText(channelsText)
  const { may } = useSession()
  const navigate = useNavigate()
  const columns = useColumns()
  const create = <Button renderRoot={linkTo('/channels/_new')}>{t('create')}</Button>
  return (
    <Page title={t('title')} about={t('about')} actions={may('channels.write') && create}>
      <DataTable<Channel>
        label={t('title')}
        queryKey={['channels']}
        load={async (cursor, signal) => {
          const offset = Number(cursor ?? 0)
          const { items, total } = await call('GET /v1/admin/channels', { query: { limit: pageRows, offset }, signal })
          return { rows: items, next: offset + items.length < total ? String(offset + items.length) : null }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(targetOf(`/channels/${row.name}`))}
        empty={t('empty')}
        refetchMs={refetchMs}
      />
    </Page>
  )
}

function useColumns(): Column<Channel>[] {
  const t = useText(channelsText)
  const c = useText(sharedText)
  const language = useLanguage()
  const adapters = useChannelAdapters()
  const { may } = useSession()
  const maySeeSignals = may('overview.read')
  const signals = useQuery({
    queryKey: ['signals'],
    queryFn: ({ signal }) => call('GET /v1/admin/signals', { signal }),
    enabled: maySeeSignals,
    refetchInterval: 15_000,
  })
  const undeliveredCounts = new Map(
    signals.data?.channels.map(({ channel, dispositions }) => [
      channel,
      (dispositions['failed'] ?? 0) + (dispositions['undeliverable'] ?? 0),
    ]),
  )
  const columns: Column<Channel>[] = [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(90px, 1.2fr)',
      cell: (row) => <Anchor renderRoot={linkTo(`/channels/${row.name}`)}>{row.name}</Anchor>,
    },
    { key: 'health', title: t('health'), width: 'minmax(110px, 1.2fr)', cell: (row) => <Health channel={row} /> },
    {
      key: 'adapter',
      title: t('adapter'),
      width: 'minmax(90px, 1fr)',
      cell: (row) => adapters.data?.find(({ name }) => name === row.adapter)?.title[language] ?? row.adapter,
      isExtra: true,
    },
    { key: 'agent', title: t('agent'), width: 'minmax(80px, 1fr)', cell: (row) => row.policy.agent, isExtra: true },
    { key: 'waiting', title: t('waiting'), width: '110px', cell: (row) => row.waiting_turns, isExtra: true },
  ]
  if (maySeeSignals)
    columns.push({
      key: 'undelivered',
      title: t('undelivered'),
      width: 'minmax(80px, 140px)',
      cell: (row) => <UndeliveredCount name={row.name} count={undeliveredCounts.get(row.name)} />,
    })
  return columns
}

function UndeliveredCount({ name, count }: { name: string; count: number | undefined }) {
  const t = useText(channelsText)
  if (!count) return <Text c="dimmed">{count ?? '–'}</Text>
  return (
    <Anchor aria-label={`${name}: ${t('undelivered')}: ${count}`} renderRoot={linkTo('/deliveries', { channel: name })}>
      {count}
    </Anchor>
  )
}
