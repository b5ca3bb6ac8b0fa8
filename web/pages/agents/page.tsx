/** The list of agents, and deleted ones that can be restored. */
import { Anchor, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bot } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useRefreshOnAudit } from '../../parts/refresh-on-audit.ts'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { ViewTabs } from '../../parts/view-tabs.tsx'
import { WordFilters } from '../../parts/word-filters.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { useCostColumn } from '../analytics/cost-column.tsx'
import { agentsText } from './text.ts'

type AgentRow = Answer<'GET /v1/admin/agents'>['items'][number]

const noFilters = { q: '', deleted: 'false' }

export default function AgentsPage() {
  const t = useText(agentsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const navigate = useNavigate()
  const [filters, filter] = useFilters(noFilters)
  useRefreshOnAudit(['agent.'], ['agents'])
  const isDeleted = filters.deleted === 'true'
  const [error, setError] = useState<unknown>()
  const columns = [...useColumns(isDeleted, setError), ...useCostColumn<AgentRow>('agent', ({ name }) => name)]
  const create = (variant: 'filled' | 'default') =>
    may('agents.write') && (
      <Button variant={variant} renderRoot={linkTo('/agents/new')}>
        {t('create')}
      </Button>
    )
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={create('filled')}
      tabs={
        <ViewTabs
          name="agents"
          label={t('show')}
          views={[
            { title: t('present'), filters: {} },
            { title: t('deleted'), filters: { deleted: 'true' } },
          ]}
          byDefault={noFilters}
          filters={filters}
          onChoose={filter}
        />
      }
    >
      <WordFilters filters={filters} filter={filter} hint={t('find')} />
      <ErrorPanel error={error} />
      <DataTable<AgentRow>
        label={t('title')}
        queryKey={['agents', filters]}
        load={async (cursor, signal) => {
          const deleted = isDeleted ? 'true' : 'false'
          const query = { limit: 50, q: filters.q.trim(), deleted, ...(cursor !== undefined && { cursor }) } as const
          const page = await call('GET /v1/admin/agents', { query, signal })
          return { rows: page.items, next: page.next_cursor }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        {...(!isDeleted && { onOpen: (row: AgentRow) => void navigate(targetOf(`/agents/${row.id}`)) })}
        empty={
          filters.q !== '' ? (
            <NothingFits title={c('nothingFound')} filters={1} onClear={() => filter({ q: '' })} />
          ) : isDeleted ? (
            <EmptyState icon={Bot} title={t('emptyDeleted')} />
          ) : (
            <EmptyState icon={Bot} title={t('empty')} actions={create('default')}>
              {t('emptyWhy')}
            </EmptyState>
          )
        }
      />
    </Page>
  )
}

function useColumns(isDeleted: boolean, onFailed: (error: unknown) => void): Column<AgentRow>[] {
  const t = useText(agentsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const columns: Column<AgentRow>[] = [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 1.5fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (isDeleted ? row.name : <Anchor renderRoot={linkTo(`/agents/${row.id}`)}>{row.name}</Anchor>),
    },
    {
      key: 'model',
      title: t('model'),
      width: 'minmax(100px, 1.5fr)',
      cell: (row) => row.model || t('modelOfSettings'),
    },
    { key: 'version', title: t('version'), width: '76px', isNumber: true, cell: (row) => row.version, isExtra: true },
    {
      key: 'changed',
      title: t('changed'),
      width: '150px',
      cell: (row) => <Time iso={row.updated_at} />,
      isExtra: true,
    },
    { key: 'by', title: t('by'), width: 'minmax(80px, 1fr)', cell: (row) => row.updated_by, isExtra: true },
  ]
  if (isDeleted && may('agents.write'))
    columns.push({
      key: 'restore',
      title: c('actions'),
      width: '120px',
      phone: 'aside',
      cell: (row) => <Restore agent={row} onFailed={onFailed} />,
    })
  return columns
}

/** The last version before the deletion. */
function Restore({ agent, onFailed }: { agent: AgentRow; onFailed(error: unknown): void }) {
  const t = useText(agentsText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { isBusy, submit } = useSubmit(async () => {
    try {
      await call('POST /v1/admin/agents/restore', { body: { agent_id: agent.id, version: agent.version } })
    } catch (error) {
      return onFailed(error)
    }
    await queries.invalidateQueries({ queryKey: ['agents'] })
    await navigate(targetOf(`/agents/${agent.id}`))
  })
  return (
    <Button
      size="xs"
      variant="default"
      loading={isBusy}
      onClick={() => submit()}
      aria-label={`${t('restore')} ${agent.name}`}
    >
      {t('restore')}
    </Button>
  )
}
