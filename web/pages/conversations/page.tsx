/** Conversations: found by text, folder, tag and channel, opened, and organised in bulk. */

import { Button, Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type ConversationRow, useColumns } from './columns.tsx'
import { Organize } from './organize.tsx'
import { conversationsText } from './text.ts'

const noFilters = { text: '', folder: '', tag: '', channel: '' }
type Filters = typeof noFilters
type Organized = 'selected' | 'found'

/** The maximum of ids in one request. */
const selectedMax = 1_000

export default function ConversationsPage() {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const navigate = useNavigate()
  const { may } = useSession()
  const [filters, filter] = useFilters(noFilters)
  const [total, setTotal] = useState<{ n: number; isLeast: boolean }>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [organized, setOrganized] = useState<Organized>()
  const toggle = useCallback(
    (id: string) =>
      setSelected((before) => {
        const after = new Set(before)
        if (!after.delete(id) && after.size < selectedMax) after.add(id)
        return after
      }),
    [],
  )
  const isFiltered = Object.values(filters).some((value) => value.trim() !== '')
  const columns = useColumns(may('conversations.write') ? { selected, toggle } : undefined)
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const query = { limit: 50, ...filters, ...(cursor !== undefined && { cursor }) }
      const page = await call('GET /v1/admin/conversations', { query, signal })
      if (cursor === undefined) setTotal({ n: page.total, isLeast: page.total_is_estimate })
      return { rows: page.conversations, next: page.next_cursor }
    },
    [filters],
  )
  const scope = useMemo(
    () => (organized === 'selected' ? { ids: [...selected] } : { filter: filters }),
    [organized, selected, filters],
  )
  return (
    <Page title={t('title')} about={t('about')}>
      <FilterBar filters={filters} filter={filter} />
      <Group gap="sm" mih={30}>
        <Text c="dimmed" role="status">
          {total &&
            (filters.text === '' || !total.isLeast) &&
            t(total.isLeast ? 'totalAtLeast' : 'total', { n: total.n })}
        </Text>
        {may('conversations.write') && (
          <BulkActions
            selectedCount={selected.size}
            mayOrganizeFound={isFiltered && filters.text.trim() === ''}
            onOrganize={setOrganized}
            onUnselect={() => setSelected(new Set())}
          />
        )}
      </Group>
      <DataTable<ConversationRow>
        label={t('title')}
        queryKey={['conversations', filters]}
        load={load}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(targetOf(`/conversations/${row.id}`))}
        empty={isFiltered ? c('nothingFound') : t('empty')}
      />
      {organized && (
        <Organize
          chosen={scope}
          onClose={(isChanged) => {
            setOrganized(undefined)
            if (isChanged) setSelected(new Set())
          }}
        />
      )}
    </Page>
  )
}

function FilterBar({ filters, filter }: { filters: Filters; filter(change: Partial<Filters>): void }) {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  return (
    <Group align="flex-end" gap="sm">
      <FilterInput
        label={c('search')}
        placeholder={t('searchHint')}
        type="search"
        value={filters.text}
        onFilter={(text) => filter({ text })}
      />
      {(['folder', 'tag', 'channel'] as const).map((name) => (
        <FilterInput
          key={name}
          label={t(name)}
          w={140}
          value={filters[name]}
          onFilter={(value) => filter({ [name]: value })}
        />
      ))}
    </Group>
  )
}

interface BulkActionsProps {
  selectedCount: number
  /** Whether all that the filters find can be changed; a search by text cannot. */
  mayOrganizeFound: boolean
  onOrganize(organized: Organized): void
  onUnselect(): void
}

function BulkActions({ selectedCount, mayOrganizeFound, onOrganize, onUnselect }: BulkActionsProps) {
  const t = useText(conversationsText)
  if (selectedCount > 0)
    return (
      <>
        <Text>{t('selected', { n: selectedCount })}</Text>
        <Button size="xs" variant="default" onClick={() => onOrganize('selected')}>
          {t('organizeSelected')}
        </Button>
        <Button size="xs" variant="subtle" onClick={onUnselect}>
          {t('unselect')}
        </Button>
      </>
    )
  if (!mayOrganizeFound) return null
  return (
    <Button size="xs" variant="default" onClick={() => onOrganize('found')}>
      {t('organizeFound')}
    </Button>
  )
}
