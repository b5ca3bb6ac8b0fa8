/** Channels: their kind, their health, and how much was not delivered. */
import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Cable } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { useChannelAdapters } from '../../parts/channel-adapters.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { useFilters } from '../../parts/filters.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { WordFilters } from '../../parts/word-filters.tsx'
import { Words } from '../../parts/words.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Channel, Health } from './health.tsx'
import { channelsText } from './text.ts'

const pageRows = 50
/** Nothing is told of a connection that ends. */
const refetchMs = 5_000

const noFilters = { q: '', adapter: '', state: '' }
const setStates = ['on', 'paused', 'off'] as const

export default function ChannelsPage() {
  const t = useText(channelsText)
  const { may } = useSession()
  const navigate = useNavigate()
  const columns = useColumns()
  const [filters, filter] = useFilters(noFilters)
  const [total, setTotal] = useState<number>()
  useRefreshOn(deliveryKinds, ['signals'])
  const set = Object.values(filters).filter((value) => value !== '').length
  const state = setStates.find((one) => one === filters.state)
  const create = may('channels.write') && <Button renderRoot={linkTo('/channels/_new')}>{t('create')}</Button>
  return (
    <Page
      title={t('title')}
      about={t('about')}
      facts={total !== undefined && t('total', { n: total })}
      actions={create}
    >
      <Filters filters={filters} filter={filter} />
      <DataTable<Channel>
        label={t('title')}
        queryKey={['channels', 'list', filters]}
        load={async (cursor, signal) => {
          const offset = Number(cursor ?? 0)
          const { q, adapter } = filters
          const query = { limit: pageRows, offset, q, ...(adapter && { adapter }), ...(state && { state }) }
          const page = await call('GET /v1/admin/channels', { query, signal })
          setTotal(page.total)
          return {
            rows: page.items,
            next: offset + page.items.length < page.total ? `${offset + page.items.length}` : null,
          }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(targetOf(`/channels/${row.name}`))}
        empty={
          set > 0 ? (
            <NothingFits title={t('nothingFits')} filters={set} onClear={() => filter(noFilters)} />
          ) : (
            <EmptyState icon={Cable} title={t('empty')} actions={create}>
              {t('emptyWhy')}
            </EmptyState>
          )
        }
        refetchMs={refetchMs}
      />
    </Page>
  )
}

const deliveryKinds = ['delivery.failed', 'delivery.undeliverable', 'delivery.delivered', 'delivery.cancelled'] as const

interface FiltersProps {
  filters: typeof noFilters
  filter(change: Partial<typeof noFilters>): void
}

function Filters({ filters, filter }: FiltersProps) {
  const t = useText(channelsText)
  const language = useLanguage()
  const adapters = useChannelAdapters()
  return (
    <WordFilters
      filters={filters}
      filter={filter}
      hint={t('find')}
      choices={[
        { name: 'state', title: t('health'), words: { on: t('on'), paused: t('paused'), off: t('off') } },
        {
          name: 'adapter',
          title: t('adapter'),
          words: Object.fromEntries((adapters.data ?? []).map(({ name, title }) => [name, title[language]])),
        },
      ]}
    />
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
      isMain: true,
      phone: 'title',
      cell: (row) => <Anchor renderRoot={linkTo(`/channels/${row.name}`)}>{row.name}</Anchor>,
    },
    {
      key: 'health',
      title: t('health'),
      width: 'minmax(180px, 1.2fr)',
      phone: 'line',
      cell: (row) => <Health channel={row} />,
    },
    {
      key: 'problem',
      title: t('problem'),
      width: 'minmax(120px, 2fr)',
      isExtra: true,
      cell: ({ connection: { status, last_error: error } }) =>
        status === 'waiting' && error !== null ? (
          <span title={error}>
            <Words>{error}</Words>
          </span>
        ) : (
          '–'
        ),
    },
    {
      key: 'adapter',
      title: t('adapter'),
      width: 'minmax(90px, 1fr)',
      cell: (row) => adapters.data?.find(({ name }) => name === row.adapter)?.title[language] ?? row.adapter,
      isExtra: true,
    },
    { key: 'agent', title: t('agent'), width: 'minmax(80px, 1fr)', cell: (row) => row.policy.agent, isExtra: true },
    {
      key: 'waiting',
      title: t('waiting'),
      width: '110px',
      isNumber: true,
      phone: 'none',
      cell: (row) => row.waiting_turns.toLocaleString(language),
      isExtra: true,
    },
  ]
  if (maySeeSignals)
    columns.push({
      key: 'undelivered',
      title: t('undelivered'),
      width: '150px',
      isNumber: true,
      phone: 'aside',
      cell: (row) => <UndeliveredCount name={row.name} count={undeliveredCounts.get(row.name)} />,
    })
  return columns
}

function UndeliveredCount({ name, count }: { name: string; count: number | undefined }) {
  const t = useText(channelsText)
  const language = useLanguage()
  if (!count) return count ?? '–'
  return (
    <Anchor aria-label={`${name}: ${t('undelivered')}: ${count}`} renderRoot={linkTo('/deliveries', { channel: name })}>
      {count.toLocaleString(language)}
    </Anchor>
  )
}
