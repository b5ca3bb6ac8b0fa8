/** The audit log: found by filters that stay in the address, read beside the list, exported, verified. */
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { type Language, useLanguage, useText } from '../../text/text.ts'
import type { Entry } from './audit-entry.ts'
import { shownBeside, useColumns } from './columns.tsx'
import { EntryDetails } from './entry.tsx'
import { useExport } from './export.tsx'
import { FilterBar, noFilters, queryOf } from './filters.tsx'
import { targetName } from './names.tsx'
import { auditText } from './text.ts'
import { useVerification } from './verdict.tsx'

export default function AuditPage() {
  const t = useText(auditText)
  const [filters, filter] = useFilters(noFilters)
  const language = useLanguage()
  const { open } = filters
  const [opened, setOpened] = useState<Entry>()
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const columns = useColumns()
  const verification = useVerification()
  const query = queryOf(filters)
  const download = useExport(query)
  const filterCount = Object.keys(query).length
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <>
          {verification.button}
          {download.buttons}
        </>
      }
    >
      {verification.result}
      <ErrorPanel error={download.error} />
      <FilterBar filters={filters} onChange={filter} nameOf={(id) => names.get(id)} />
      <ListWithPane
        pane={
          open !== '' && (
            <EntryDetails
              key={open}
              id={open}
              listed={opened?.id === open ? opened : undefined}
              onFilter={(change) => filter({ ...noFilters, ...change, open })}
              onClose={() => filter({ open: '' })}
            />
          )
        }
      >
        <DataTable<Entry>
          label={t('title')}
          queryKey={['audit', query]}
          load={async (cursor, signal) => {
            const page = await call('GET /v1/admin/audit', {
              query: { limit: 100, ...query, ...(cursor !== undefined && { cursor }) },
              signal,
            })
            setNames((before) => withNames(before, page.items, language))
            return { rows: page.items, next: page.next_cursor }
          }}
          columns={open === '' ? columns : columns.filter(({ key }) => shownBeside.includes(key))}
          rowKey={(row) => row.id}
          onOpen={(row) => {
            setOpened(row)
            filter({ open: row.id })
          }}
          openKey={open}
          empty={
            filterCount > 0 ? (
              <NothingFits
                title={t('nothingFits')}
                filters={filterCount}
                onClear={() => filter({ ...noFilters, open })}
              />
            ) : (
              <EmptyState icon={ScrollText} title={t('empty')}>
                {t('emptyWhy')}
              </EmptyState>
            )
          }
        />
      </ListWithPane>
    </Page>
  )
}

/** Of the actor and the target that the list is narrowed to: each entry has the same. */
function withNames(before: ReadonlyMap<string, string>, [entry]: readonly Entry[], language: Language) {
  if (!entry) return before
  const names = new Map([[entry.actor, entry.actor_name ?? entry.actor]])
  if (entry.target !== null) names.set(entry.target, targetName(entry, language))
  return names
}
