/** Deliveries: answers that leave through channels, found by filters that stay in the address, one by one or in bulk. */
import { Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import {
  type Delivery,
  Disposition,
  type DispositionName,
  dispositions,
  dispositionText,
} from '../../parts/disposition.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { BulkActions } from './bulk-actions.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { type Filters, noFilters } from './filters.ts'
import { deliveriesText } from './text.ts'

const isConversationId = (text: string): boolean => /^conv_[0-9a-f]{32}$/.test(text)

export default function DeliveriesPage() {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  const { may } = useSession()
  const [filters, filter] = useFilters(noFilters)
  const { status, channel, conversation, delivery } = filters
  const isWrongId = conversation !== '' && !isConversationId(conversation)
  const columns = useColumns()
  useRefreshOn(
    ['delivery.pending', 'delivery.delivered', 'delivery.failed', 'delivery.undeliverable', 'delivery.cancelled'],
    ['deliveries'],
  )
  const isFiltered = status !== '' || channel !== '' || conversation !== ''
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={may('deliveries.write') && !isWrongId && <BulkActions filters={filters} />}
    >
      <FilterBar filters={filters} filter={filter} isWrongId={isWrongId} />
      {isWrongId ? (
        <Text c="dimmed">{t('notAnId')}</Text>
      ) : (
        <DataTable<Delivery>
          label={t('title')}
          queryKey={['deliveries', status, channel, conversation]}
          load={async (cursor, signal) => {
            const query = {
              limit: 50,
              ...(status !== '' && { status: status as DispositionName }),
              ...(channel !== '' && { channel }),
              ...(conversation !== '' && { conversation_id: conversation }),
              ...(cursor !== undefined && { cursor }),
            }
            const page = await call('GET /v1/admin/deliveries', { query, signal })
            return { rows: page.items, next: page.next_cursor }
          }}
          columns={columns}
          rowKey={(row) => row.id}
          onOpen={(row) => filter({ delivery: row.id })}
          empty={isFiltered ? c('nothingFound') : t('empty')}
        />
      )}
      {delivery !== '' && <DeliveryDetails id={delivery} onClose={() => filter({ delivery: '' })} />}
    </Page>
  )
}

interface FilterBarProps {
  filters: Filters
  filter(change: Partial<Filters>): void
  isWrongId: boolean
}

function FilterBar({ filters, filter, isWrongId }: FilterBarProps) {
  const t = useText(deliveriesText)
  const nameOf = useText(dispositionText)
  const c = useText(sharedText)
  const { may } = useSession()
  const channels = useQuery({
    queryKey: ['channels', 'names'],
    queryFn: ({ signal }) => call('GET /v1/admin/channels', { query: { limit: 200 }, signal }),
    enabled: may('channels.read'),
  })
  // The channel in the address is offered even before the list has loaded, or if it is beyond the first page.
  const names = new Set([...(channels.data?.items.map(({ name }) => name) ?? []), filters.channel])
  names.delete('')
  return (
    <Group align="flex-start" gap="sm">
      <NativeSelect
        label={c('status')}
        value={filters.status}
        data={[{ value: '', label: c('all') }, ...dispositions.map((value) => ({ value, label: nameOf(value) }))]}
        onChange={(event) => filter({ status: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('channel')}
        value={filters.channel}
        data={[{ value: '', label: c('all') }, ...names]}
        onChange={(event) => filter({ channel: event.currentTarget.value })}
      />
      <FilterInput
        label={t('conversation')}
        placeholder={t('conversationHint')}
        value={filters.conversation}
        error={isWrongId}
        maxLength={64}
        w={300}
        maw="100%"
        onFilter={(text) => filter({ conversation: text.trim() })}
      />
    </Group>
  )
}

function useColumns(): Column<Delivery>[] {
  const t = useText(deliveriesText)
  const c = useText(sharedText)
  return [
    {
      key: 'status',
      title: c('status'),
      width: 'minmax(105px, 130px)',
      cell: (row) => <Disposition status={row.status} />,
    },
    { key: 'channel', title: t('channel'), width: 'minmax(80px, 1fr)', cell: (row) => row.channel || '–' },
    { key: 'created', title: t('created'), width: 'minmax(80px, 150px)', cell: (row) => <Time iso={row.created_at} /> },
    { key: 'attempts', title: t('attempts'), width: '70px', cell: (row) => row.attempts, isExtra: true },
    { key: 'next', title: t('next'), width: '150px', cell: (row) => <Time iso={row.next_at} />, isExtra: true },
    { key: 'reason', title: t('reason'), width: 'minmax(120px, 2fr)', cell: (row) => row.reason ?? '–', isExtra: true },
  ]
}
