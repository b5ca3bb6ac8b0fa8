/** Conversations: found by text and facets, opened beside the list, organised in bulk, followed live without losing the place. */
import { Button } from '@mantine/core'
import { MessagesSquare } from 'lucide-react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { BulkBar } from '../../parts/bulk-bar.tsx'
import { useColumnChoice } from '../../parts/column-choice.tsx'
import { DataTable, useChoice } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { FacetSide } from '../../parts/facet-filters.tsx'
import { ListWithFacets } from '../../parts/facets.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { ViewTabs } from '../../parts/view-tabs.tsx'
import { useText } from '../../text/text.ts'
import { shownBeside, shownByDefault, useColumns } from './columns.tsx'
import { FilterRow, useFacets } from './filter-row.tsx'
import { type ConversationFilters, type ConversationRow, noFilters, queryOf } from './filters.ts'
import { conversationsText } from './text.ts'

/** Loaded when the first one is opened, and organised. */
const Pane = lazy(() => import('../conversation/pane.tsx'))
const Organize = lazy(() => import('./organize.tsx').then(({ Organize: component }) => ({ default: component })))

/** The maximum of ids in one request. */
const chosenMax = 1_000
const { open: _open, ...viewFilters } = noFilters

export default function ConversationsPage() {
  const t = useText(conversationsText)
  const { may } = useSession()
  const [filters, filter] = useFilters(noFilters)
  const { open, ...narrowing } = filters
  const query = useMemo(() => queryOf(filters), [filters])
  const [total, setTotal] = useState<{ n: number; isLeast: boolean }>()
  const [organized, setOrganized] = useState<'chosen' | 'found'>()
  const choice = useBoundedChoice(JSON.stringify(query))
  // Counting is much more work than a page, which comes first.
  const facets = useFacets(filters, total !== undefined)
  const linkOf = useCallback((id: string) => linkSearch({ ...filters, open: id }), [filters])
  const { columns, button } = useColumnChoice('conversations', useColumns(linkOf), shownByDefault)
  const queryKey = ['conversations', query]
  useRefreshOn(refreshKinds, ['conversations'])
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const asked = { limit: 50, ...query, ...(cursor !== undefined && { cursor }) }
      const page = await call('GET /v1/admin/conversations', { query: asked, signal })
      if (cursor === undefined) setTotal({ n: page.total, isLeast: page.total_is_estimate })
      return { rows: page.conversations, next: page.next_cursor }
    },
    [query],
  )
  const choose = (name: string, value: string) => filter({ [name]: value })
  const set = (['text', 'channel', 'folder', 'tag', 'since', 'until'] as const).filter((name) => filters[name] !== '')
  const isSearch = query.text !== undefined
  const mayOrganizeFound = may('conversations.write') && set.length > 0 && !isSearch && !set.some(isPeriod)
  const table = (
    <DataTable<ConversationRow>
      label={t('title')}
      queryKey={queryKey}
      load={load}
      columns={open === '' ? columns : columns.filter(({ key }) => shownBeside.includes(key))}
      rowHeight={48}
      rowKey={(row) => row.id}
      onOpen={(row) => filter({ open: row.id })}
      openKey={open || undefined}
      keepsPlace
      {...(may('conversations.write') && open === '' && { choice })}
      sorting={{ key: query.order, isDescending: true, onSort: (order) => !isSearch && filter({ order }) }}
      total={isSearch && total?.isLeast ? undefined : total}
      empty={
        set.length > 0 ? (
          <NothingFits
            title={t('nothingFits')}
            filters={set.length}
            onClear={() => filter({ ...noFilters, open, order: filters.order })}
          />
        ) : (
          <EmptyState icon={MessagesSquare} title={t('empty')}>
            {t('emptyWhy')}
          </EmptyState>
        )
      }
    />
  )
  return (
    <Page
      title={t('title')}
      about={t('about')}
      facts={total && !(isSearch && total.isLeast) && t(total.isLeast ? 'totalAtLeast' : 'total', { n: total.n })}
      tabs={
        <ViewTabs
          name="conversations"
          label={t('views')}
          views={[
            { title: t('all'), filters: {} },
            { title: t('newestFirst'), filters: { order: 'created' } },
          ]}
          byDefault={viewFilters}
          filters={narrowing}
          onChoose={filter}
        />
      }
    >
      <ListWithPane
        isWide
        pane={
          open !== '' && (
            <Suspense fallback={<LoadingRows label={t('title')} />}>
              <Pane key={open} id={open} onClose={() => filter({ open: '' })} />
            </Suspense>
          )
        }
      >
        <ListWithFacets facets={open === '' && <FacetSide label={t('filters')} facets={facets} onChoose={choose} />}>
          <FilterRow
            filters={filters}
            filter={filter}
            facets={facets}
            end={
              open === '' && (
                <>
                  {mayOrganizeFound && (
                    <Button variant="default" onClick={() => setOrganized('found')}>
                      {t('organizeFound')}
                    </Button>
                  )}
                  {button}
                </>
              )
            }
          />
          {table}
        </ListWithFacets>
      </ListWithPane>
      <BulkBar count={choice.chosen.size} onClear={() => choice.set([])}>
        <button type="button" onClick={() => setOrganized('chosen')}>
          {t('organizeChosen')}
        </button>
      </BulkBar>
      {organized && (
        <Suspense>
          <Organize
            chosen={organized === 'chosen' ? { ids: [...choice.chosen] } : { filter: filters }}
            onClose={(isChanged) => {
              setOrganized(undefined)
              if (isChanged) choice.set([])
            }}
          />
        </Suspense>
      )}
    </Page>
  )
}

const refreshKinds = [
  'message.created',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'turn.cancelled',
  'turn.interrupted',
  'turn.waiting',
] as const

const isPeriod = (name: string): boolean => name === 'since' || name === 'until'

/** What stands in the address. */
const linkSearch = (filters: ConversationFilters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).filter(([name, value]) => value !== noFilters[name as keyof ConversationFilters]),
  )

/** A request takes so many ids; more are not chosen. */
function useBoundedChoice(name: string) {
  const choice = useChoice(name)
  return {
    chosen: choice.chosen,
    toggle: (key: string) => {
      if (choice.chosen.has(key) || choice.chosen.size < chosenMax) choice.toggle(key)
    },
    set: (keys: readonly string[]) => choice.set(keys.slice(0, chosenMax)),
  }
}
