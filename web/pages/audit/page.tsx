/** The audit log: found by filters that stay in the address, read one by one, exported, verified. */
import { Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type Entry, EntryDetails } from './entry.tsx'
import { useExport } from './export.tsx'
import { FilterBar, noFilters, queryOf } from './filters.tsx'
import { auditText } from './text.ts'
import { useVerification } from './verdict.tsx'

export default function AuditPage() {
  const t = useText(auditText)
  const c = useText(sharedText)
  const [filters, filter] = useFilters(noFilters)
  const [openEntry, setOpenEntry] = useState<Entry>()
  const columns = useColumns()
  const verification = useVerification()
  const query = queryOf(filters)
  const download = useExport(query)
  const isFiltered = Object.keys(query).length > 0
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
      <FilterBar filters={filters} onChange={filter} />
      <DataTable<Entry>
        label={t('title')}
        queryKey={['audit', query]}
        load={async (cursor, signal) => {
          const page = await call('GET /v1/admin/audit', {
            query: { limit: 100, ...query, ...(cursor !== undefined && { cursor }) },
            signal,
          })
          return { rows: page.items, next: page.next_cursor }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={setOpenEntry}
        empty={isFiltered ? c('nothingFound') : t('empty')}
      />
      {openEntry && (
        <EntryDetails
          entry={openEntry}
          onFilter={(change) => {
            setOpenEntry(undefined)
            filter({ ...noFilters, ...change })
          }}
          onClose={() => setOpenEntry(undefined)}
        />
      )}
    </Page>
  )
}

function useColumns(): Column<Entry>[] {
  const t = useText(auditText)
  return [
    { key: 'at', title: t('at'), width: 'minmax(64px, 1fr)', cell: (row) => <Time iso={row.at} /> },
    {
      key: 'actor',
      title: t('actor'),
      width: 'minmax(56px, 1fr)',
      cell: (row) => <Text truncate>{row.actor}</Text>,
    },
    { key: 'action', title: t('action'), width: 'minmax(150px, 1.4fr)', cell: (row) => row.action },
    {
      key: 'target',
      title: t('target'),
      width: 'minmax(120px, 2fr)',
      cell: (row) => (
        <Text truncate title={row.target ?? ''}>
          {row.target ?? '–'}
        </Text>
      ),
      isExtra: true,
    },
    { key: 'ip', title: t('ip'), width: 'minmax(90px, 130px)', cell: (row) => row.ip, isExtra: true },
  ]
}
