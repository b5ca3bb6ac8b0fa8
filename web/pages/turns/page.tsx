/** Turns of all conversations: found by facets and views, put in order, followed live without losing the place. */
import { Button, SegmentedControl } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { useColumnChoice } from '../../parts/column-choice.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FacetSide } from '../../parts/facet-filters.tsx'
import { ListWithFacets } from '../../parts/facets.tsx'
import { useFilters } from '../../parts/filters.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { useMayOpen } from '../../parts/may-open.ts'
import { Page } from '../../parts/page.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { type ListView, ViewTabs } from '../../parts/view-tabs.tsx'
import { useText } from '../../text/text.ts'
import { shownByDefault, useColumns } from './columns.tsx'
import { useFacets } from './facets.tsx'
import { FilterRow } from './filter-row.tsx'
import { facetQueryOf, noFilters, orderOf, queryOf, spans, type TurnFilters, type TurnRow } from './filters.ts'
import { turnsText } from './text.ts'

/** As many as the API counts and puts in order. */
const newestMax = 50_000

export default function TurnsPage() {
  const t = useText(turnsText)
  const navigate = useNavigate()
  const [filters, filter] = useFilters(noFilters)
  const { columns, button } = useColumnChoice('turns', useColumns(), shownByDefault)
  const order = orderOf(filters)
  const isInOrder = order === noFilters.order
  const queryKey = ['turns', 'list', filters]
  // Counting is much more work than a page, which comes first.
  const [isListed, setListed] = useState(false)
  const counted = useCounts(filters, isListed)
  const facets = useFacets(filters, counted.data)
  useFresh(queryKey, isInOrder)
  const choose = (name: string, value: string) => filter({ [name]: value })
  const set = Object.entries(filters).filter(([name, value]) => name !== 'order' && value !== '').length
  // The counts know nothing of a request.
  const total =
    filters.request_id === '' && counted.data ? { n: counted.data.total, isLeast: counted.data.is_estimate } : undefined
  return (
    <Page
      title={t('title')}
      about={t('about')}
      facts={total && t(total.isLeast ? 'foundNewest' : 'found', { n: total.n, most: newestMax })}
      actions={<Period filters={filters} filter={filter} />}
      tabs={
        <ViewTabs
          name="turns"
          label={t('views')}
          views={useViews(filters, counted.data)}
          byDefault={noFilters}
          filters={filters}
          onChoose={filter}
        />
      }
    >
      <ListWithFacets facets={<FacetSide label={t('filters')} facets={facets} onChoose={choose} />}>
        <FilterRow filters={filters} filter={filter} facets={facets} end={button} />
        <ErrorPanel error={counted.error} onRetry={() => void counted.refetch()} />
        {!isInOrder && total?.isLeast && <p>{t('sortedNewest', { n: newestMax })}</p>}
        <DataTable<TurnRow>
          label={t('title')}
          queryKey={queryKey}
          load={async (cursor, signal) => {
            const query = { limit: 50, ...queryOf(filters), ...(cursor !== undefined && { cursor }) }
            const page = await call('GET /v1/admin/turns', { query, signal })
            setListed(true)
            return { rows: page.items, next: page.next_cursor }
          }}
          columns={columns}
          sorting={{
            key: order,
            isDescending: true,
            onSort: (chosen) => filter({ order: chosen === order ? noFilters.order : chosen }),
          }}
          rowKey={(row) => row.id}
          onOpen={(row) => void navigate(targetOf(`/turns/${row.id}`))}
          keepsPlace={isInOrder}
          total={total && !total.isLeast ? total : undefined}
          empty={set > 0 ? <NoneFits filters={set} onClear={() => filter(noFilters)} /> : <NoneYet />}
        />
      </ListWithFacets>
    </Page>
  )
}

/** A time before now; a period of a link stands among the chips. */
function Period({ filters, filter }: { filters: TurnFilters; filter(change: Partial<TurnFilters>): void }) {
  const t = useText(turnsText)
  return (
    <SegmentedControl
      aria-label={t('when')}
      value={filters.when}
      onChange={(when) => filter({ when, since: '', until: '' })}
      data={[...spans.map((value) => ({ value, label: t(value) })), { value: '', label: t('anyTime') }]}
    />
  )
}

type Counts = Awaited<ReturnType<typeof countTurns>>
const countTurns = (filters: TurnFilters, signal: AbortSignal) =>
  call('GET /v1/admin/turns/facets', { query: facetQueryOf(filters), signal })

/** A count looks through many turns: it is made anew at most this often. */
const countMs = 15_000

function useCounts({ order: _order, request_id: _request, ...filters }: TurnFilters, isListed: boolean) {
  return useQuery({
    queryKey: ['turns', 'counts', filters],
    queryFn: ({ signal }) => countTurns({ ...noFilters, ...filters }, signal),
    enabled: isListed,
    placeholderData: keepPreviousData,
    staleTime: countMs,
    refetchInterval: countMs,
  })
}

/** The counts stand where they are of what the tab shows: with no other filter, and of all times. */
function useViews(filters: TurnFilters, counts: Counts | undefined): ListView[] {
  const t = useText(turnsText)
  const isBare = Object.entries(filters).every(
    ([name, value]) => value === '' || ['status', 'order', 'request_id'].includes(name),
  )
  const countOf = (status: string) => (isBare ? counts?.status.find(({ value }) => value === status)?.count : undefined)
  return [
    { title: t('all'), filters: {} },
    { title: t('failed'), filters: { status: 'failed' }, count: countOf('failed'), tone: 'bad' },
    { title: t('waiting'), filters: { status: 'waiting' }, count: countOf('waiting'), tone: 'wait' },
    { title: t('slowest'), filters: { order: 'duration' } },
    { title: t('costliest'), filters: { order: 'cost' } },
  ]
}

const refreshMs = 1_000
/** Turns without a stored conversation cause no event. */
const pollMs = 5_000
/** In another order each page is put in order anew. */
const refreshSortedMs = 15_000

/** Keeps the list up to date. */
function useFresh(queryKey: readonly unknown[], isInOrder: boolean): void {
  const queries = useQueryClient()
  const refresh = useThrottled(isInOrder ? refreshMs : refreshSortedMs, () => void refetchNow(queries, queryKey))
  useEvents(
    ['turn.started', 'turn.completed', 'turn.cancelled', 'turn.interrupted', 'turn.failed', 'turn.waiting'],
    refresh,
    refresh,
  )
  useEffect(() => {
    const poll = setInterval(() => !document.hidden && refresh(), pollMs)
    return () => clearInterval(poll)
  }, [refresh])
}

function NoneFits({ filters, onClear }: { filters: number; onClear(): void }) {
  const t = useText(turnsText)
  return <NothingFits title={t('nothingFits')} filters={filters} onClear={onClear} />
}

function NoneYet() {
  const t = useText(turnsText)
  const mayOpen = useMayOpen()
  return (
    <EmptyState
      icon={ListTree}
      title={t('empty')}
      actions={
        mayOpen('/playground', 'chat.use') && (
          <Button variant="default" renderRoot={linkTo('/playground')}>
            {t('openPlayground')}
          </Button>
        )
      }
    >
      {t('emptyWhy')}
    </EmptyState>
  )
}
