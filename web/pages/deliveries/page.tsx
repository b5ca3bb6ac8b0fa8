/** Deliveries: answers that leave through channels, found by filters that stay in the address, one by one or in bulk. */
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import {
  type Delivery,
  Disposition,
  type DispositionName,
  dispositions,
  dispositionText,
} from '../../parts/disposition.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { WordFilters } from '../../parts/word-filters.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { BulkActions } from './bulk-actions.tsx'
import { DeliveryDetails } from './delivery-details.tsx'
import { deliveryEvents, type Filters, noFilters } from './filters.ts'
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
  useRefreshOn(deliveryEvents, ['deliveries'])
  const filterCount = [status, channel, conversation].filter((one) => one !== '').length
  const clear = () => filter({ status: '', channel: '', conversation: '' })
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={may('deliveries.write') && !isWrongId && <BulkActions filters={filters} />}
    >
      <Filtering filters={filters} filter={filter} isWrongId={isWrongId} />
      {isWrongId ? (
        <NothingFits title={t('notAnId')} filters={filterCount} onClear={clear} />
      ) : (
        <ListWithPane
          pane={
            delivery !== '' && <DeliveryDetails key={delivery} id={delivery} onClose={() => filter({ delivery: '' })} />
          }
        >
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
            openKey={delivery}
            empty={
              filterCount > 0 ? (
                <NothingFits title={c('nothingFound')} filters={filterCount} onClear={clear} />
              ) : (
                <EmptyState icon={Send} title={t('empty')}>
                  {t('emptyWhy')}
                </EmptyState>
              )
            }
          />
        </ListWithPane>
      )}
    </Page>
  )
}

interface FilteringProps {
  filters: Filters
  filter(change: Partial<Filters>): void
  isWrongId: boolean
}

function Filtering({ filters, filter, isWrongId }: FilteringProps) {
  const t = useText(deliveriesText)
  const nameOf = useText(dispositionText)
  const c = useText(sharedText)
  const { may } = useSession()
  const channels = useQuery({
    queryKey: ['channels', 'names'],
    queryFn: ({ signal }) => call('GET /v1/admin/channels', { query: { limit: 200 }, signal }),
    enabled: may('channels.read'),
  })
  return (
    <WordFilters
      filters={filters}
      filter={filter}
      search={
        <FilterInput
          aria-label={t('conversation')}
          placeholder={t('conversationHint')}
          value={filters.conversation}
          error={isWrongId}
          maxLength={64}
          onFilter={(text) => filter({ conversation: text.trim() })}
        />
      }
      choices={[
        {
          name: 'status',
          title: c('status'),
          words: Object.fromEntries(dispositions.map((value) => [value, nameOf(value)])),
        },
        {
          name: 'channel',
          title: t('channel'),
          words: Object.fromEntries((channels.data?.items ?? []).map(({ name }) => [name, name])),
        },
      ]}
    />
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
      phone: 'line',
      cell: (row) => <Disposition status={row.status} />,
    },
    {
      key: 'what',
      title: t('what'),
      width: 'minmax(110px, 2fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => row.preview ?? '–',
    },
    { key: 'to', title: t('to'), width: 'minmax(70px, 1fr)', phone: 'line', cell: (row) => row.recipient ?? '–' },
    {
      key: 'channel',
      title: t('channel'),
      width: 'minmax(60px, 1fr)',
      isExtra: true,
      cell: (row) => row.channel || '–',
    },
    {
      key: 'attempts',
      title: t('attempts'),
      width: '70px',
      isNumber: true,
      isExtra: true,
      cell: (row) => row.attempts,
    },
    {
      key: 'result',
      title: t('result'),
      width: 'minmax(110px, 1.5fr)',
      isExtra: true,
      phone: 'end',
      cell: (row) => <Result of={row} />,
    },
    {
      key: 'age',
      title: t('age'),
      width: '60px',
      isNumber: true,
      phone: 'aside',
      cell: (row) => <Ago iso={row.created_at} />,
    },
  ]
}

/** Why it did not arrive, and when it is tried again. */
function Result({ of: { status, reason, next_at, behind } }: { of: Delivery }) {
  const t = useText(deliveriesText)
  if (behind !== null) return <span title={reason ?? undefined}>{t('behind')}</span>
  if (status === 'delivered' || (reason === null && next_at === null)) return '–'
  const isRetrying = status === 'failed' && next_at !== null
  return (
    <span title={reason ?? undefined}>
      {isRetrying && (
        <>
          {t('nextShort')} <Time iso={next_at} />
          {reason !== null && ', '}
        </>
      )}
      {reason}
    </span>
  )
}
