/** API keys of the workspace: found, opened beside the list, created, rotated and revoked, with their budget and last use. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { useRefreshOnAudit } from '../../parts/refresh-on-audit.ts'
import { ViewTabs } from '../../parts/view-tabs.tsx'
import { useText } from '../../text/text.ts'
import { useBudgetOf } from './budget-meter.tsx'
import { shownBeside, useKeyColumns } from './columns.tsx'
import { FilterRow } from './filter-row.tsx'
import { noFilters, queryOf } from './filters.ts'
import type { Key } from './key.ts'
import type { OpenDialog } from './key-dialog.tsx'
import { keysText } from './text.ts'

/** Loaded when the first one is opened. */
const KeyPane = lazy(() => import('./key-pane.tsx'))
const KeyDialog = lazy(() => import('./key-dialog.tsx'))

/** Of uses, which are stored once a minute, and of keys that end meanwhile no event tells. */
const refetchMs = 60_000
const { open: _open, ...viewFilters } = noFilters

export default function KeysPage() {
  const t = useText(keysText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [filters, filter] = useFilters(noFilters)
  const { open, ...narrowing } = filters
  const [dialog, setDialog] = useState<OpenDialog>()
  const budgetOf = useBudgetOf()
  const onDo = (is: 'rotate' | 'revoke', key: Key) => setDialog({ is, key })
  const columns = useKeyColumns({ budgetOf, onDo })
  const query = queryOf(filters)
  // A budget that is used up stops its key.
  useRefreshOn(['alert.fired', 'alert.resolved'], ['budgets'])
  useRefreshOnAudit(['api_key.'], ['keys'])
  const refresh = () => void queries.invalidateQueries({ queryKey: ['keys'] })
  const make = () => setDialog({ is: 'make' })
  const set = Object.keys(query).length
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={may('keys.write') && <Button onClick={make}>{t('make')}</Button>}
      tabs={
        <ViewTabs
          name="keys"
          label={t('views')}
          views={[
            { title: t('all'), filters: {} },
            { title: t('activeOnes'), filters: { state: 'active' } },
            { title: t('revokedOnes'), filters: { state: 'revoked' } },
          ]}
          byDefault={viewFilters}
          filters={narrowing}
          onChoose={filter}
        />
      }
    >
      <ListWithPane
        pane={
          open !== '' && (
            <Suspense fallback={<LoadingRows label={t('pane')} />}>
              <KeyPane key={open} id={open} budgetOf={budgetOf} onDo={onDo} onClose={() => filter({ open: '' })} />
            </Suspense>
          )
        }
      >
        <FilterRow filters={filters} filter={filter} />
        <DataTable<Key>
          label={t('title')}
          queryKey={['keys', 'list', query]}
          load={async (cursor, signal) => {
            const asked = { limit: 50, ...query, ...(cursor !== undefined && { cursor }) }
            const page = await call('GET /v1/admin/apikeys', { query: asked, signal })
            return { rows: page.items, next: page.next_cursor }
          }}
          refetchMs={refetchMs}
          columns={open === '' ? columns : columns.filter(({ key }) => shownBeside.includes(key))}
          rowKey={(row) => row.id}
          onOpen={(row) => filter({ open: row.id })}
          openKey={open || undefined}
          keepsPlace
          empty={
            set > 0 ? (
              <NothingFits title={t('nothingFits')} filters={set} onClear={() => filter({ ...noFilters, open })} />
            ) : (
              <EmptyState
                icon={KeyRound}
                title={t('empty')}
                actions={
                  may('keys.write') && (
                    <Button variant="default" onClick={make}>
                      {t('make')}
                    </Button>
                  )
                }
              >
                {t('emptyWhy')}
              </EmptyState>
            )
          }
        />
      </ListWithPane>
      {dialog && (
        <Suspense>
          <KeyDialog dialog={dialog} onChanged={refresh} onDialog={setDialog} />
        </Suspense>
      )}
    </Page>
  )
}
