/** Turns of all conversations, newest first, filtered by status, model and time. */

import { Anchor, Code, Group, NativeSelect, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { FilterChip } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { useFilters } from '../../parts/filters.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Duration, Time } from '../../parts/time.tsx'
import { type TurnStatus, TurnStatusBadge, turnStatuses, turnStatusText } from '../../parts/turn-status.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { turnsText } from './text.ts'

type TurnRow = Answer<'GET /v1/admin/turns'>['items'][number]

/** `since` and `until` come with a link, such as that of a bar of a chart. */
const noFilters = { status: '', model: '', agent: '', when: '', since: '', until: '' }
const spansMs: Record<string, number> = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

export default function TurnsPage() {
  const t = useText(turnsText)
  const c = useText(sharedText)
  const s = useText(turnStatusText)
  const navigate = useNavigate()
  const [filters, filter] = useFilters(noFilters)
  const columns = useColumns()
  const queryKey = ['turns', filters]
  useFresh(queryKey)
  const isFiltered = Object.values(filters).some((value) => value !== '')
  return (
    <Page title={t('title')} about={t('about')}>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={c('status')}
          value={filters.status}
          onChange={(event) => filter({ status: event.currentTarget.value })}
          data={[{ value: '', label: c('all') }, ...turnStatuses.map((value) => ({ value, label: s(value) }))]}
        />
        <FilterInput
          label={t('model')}
          placeholder={t('wholeName')}
          w={170}
          value={filters.model}
          onFilter={(model) => filter({ model })}
        />
        <FilterInput
          label={t('agent')}
          placeholder={t('wholeName')}
          w={150}
          value={filters.agent}
          onFilter={(agent) => filter({ agent })}
        />
        <NativeSelect
          label={t('when')}
          value={filters.when}
          onChange={(event) => filter({ when: event.currentTarget.value })}
          data={[
            { value: '', label: t('anyTime') },
            { value: 'hour', label: t('lastHour') },
            { value: 'day', label: t('lastDay') },
            { value: 'week', label: t('lastWeek') },
          ]}
        />
        {(filters.since !== '' || filters.until !== '') && (
          <FilterChip
            name={t('when')}
            value={
              <>
                <Time iso={filters.since} /> – <Time iso={filters.until} />
              </>
            }
            onClear={() => filter({ since: '', until: '' })}
          />
        )}
      </Group>
      <DataTable<TurnRow>
        label={t('title')}
        queryKey={queryKey}
        load={async (cursor, signal) => {
          const spanMs = spansMs[filters.when]
          const query = {
            limit: 50,
            ...(filters.status !== '' && { status: filters.status as TurnStatus }),
            model: filters.model,
            agent: filters.agent,
            since: filters.since,
            until: filters.until,
            ...(spanMs !== undefined && { since: new Date(Date.now() - spanMs).toISOString() }),
            ...(cursor !== undefined && { cursor }),
          }
          const page = await call('GET /v1/admin/turns', { query, signal })
          return { rows: page.items, next: page.next_cursor }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        onOpen={(row) => void navigate(targetOf(`/turns/${row.id}`))}
        empty={isFiltered ? c('nothingFound') : t('empty')}
      />
    </Page>
  )
}

const refreshMs = 1_000
/** Turns without a stored conversation cause no event. */
const pollMs = 5_000

/** Keeps the list up to date. */
function useFresh(queryKey: readonly unknown[]): void {
  const queries = useQueryClient()
  const refresh = useThrottled(refreshMs, () => void refetchNow(queries, queryKey))
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

function useColumns(): Column<TurnRow>[] {
  const t = useText(turnsText)
  const c = useText(sharedText)
  return [
    {
      key: 'when',
      title: t('when'),
      width: '130px',
      cell: (row) => (
        <Anchor renderRoot={linkTo(`/turns/${row.id}`)}>
          <Time iso={row.started_at} />
        </Anchor>
      ),
    },
    {
      key: 'status',
      title: c('status'),
      width: 'minmax(100px, 130px)',
      cell: (row) => <TurnStatusBadge status={row.status} />,
    },
    {
      key: 'model',
      title: t('model'),
      width: 'minmax(80px, 1.5fr)',
      cell: (row) => <Text truncate>{row.model || '–'}</Text>,
    },
    {
      key: 'agent',
      title: t('agent'),
      width: 'minmax(80px, 1fr)',
      cell: (row) => <Text truncate>{row.agent ?? '–'}</Text>,
      isExtra: true,
    },
    {
      key: 'conversation',
      title: t('conversation'),
      width: '110px',
      cell: (row) =>
        row.conversation_id && (
          <Anchor renderRoot={linkTo(`/conversations/${row.conversation_id}`)}>…{row.conversation_id.slice(-8)}</Anchor>
        ),
      isExtra: true,
    },
    {
      key: 'tokens',
      title: t('tokens'),
      width: '120px',
      cell: (row) => `${row.prompt_tokens ?? '–'} / ${row.completion_tokens ?? '–'}`,
      isExtra: true,
    },
    { key: 'took', title: t('took'), width: '90px', cell: (row) => <Duration ms={row.duration_ms} />, isExtra: true },
    {
      key: 'error',
      title: t('error'),
      width: 'minmax(130px, 1.2fr)',
      cell: (row) => row.error && <Code title={row.error.message}>{row.error.code}</Code>,
      isExtra: true,
    },
  ]
}
