/** Nodes: the processes on this database, what each has to do, and the planned end of one. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { nodesText } from './text.ts'

type Node = Answer<'GET /v1/admin/nodes'>['items'][number] & { isHere: boolean }

const queryKey = ['nodes'] as const
const refetchMs = 2_000

const tones = { running: 'good', draining: 'warn', stopped: 'quiet', lost: 'bad' } as const satisfies Record<
  Node['state'],
  Tone
>

export default function NodesPage() {
  const t = useText(nodesText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [draining, setDraining] = useState<Node>()
  const columns = useColumns()
  const actions = useActions(setDraining)
  return (
    <Page title={t('title')} about={t('about')}>
      <DataTable<Node>
        label={t('title')}
        queryKey={queryKey}
        load={async (_cursor, signal) => {
          const { items, this_node } = await call('GET /v1/admin/nodes', { signal })
          return { rows: items.map((node) => ({ ...node, isHere: node.node === this_node })), next: null }
        }}
        columns={may('nodes.write') ? [...columns, actions] : columns}
        rowKey={(row) => String(row.node)}
        empty={<EmptyState icon={Server} title={t('empty')} />}
        refetchMs={refetchMs}
      />
      {draining && (
        <ConfirmAction
          title={t('drainTitle', { node: draining.node })}
          actionLabel={t('drain')}
          onConfirm={async () => {
            await call('POST /v1/admin/nodes/drain', { body: { node: draining.node } })
            setDraining(undefined)
            await queries.invalidateQueries({ queryKey })
          }}
          onClose={() => setDraining(undefined)}
        >
          {t('drainWhy')}
        </ConfirmAction>
      )}
    </Page>
  )
}

function useColumns(): Column<Node>[] {
  const t = useText(nodesText)
  const language = useLanguage()
  const ofLoad = (read: (load: NonNullable<Node['load']>) => number) => (row: Node) =>
    row.load ? read(row.load).toLocaleString(language) : isLiving(row) ? t('silent') : '–'
  return [
    {
      key: 'node',
      title: t('node'),
      width: 'minmax(150px, 3fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => {
        const where = `${row.host ?? '–'}, ${row.pid}, ${row.version}`
        return (
          <span title={where}>
            <Text span inherit fw={500}>
              {row.isHere ? `${row.node} (${t('here')})` : row.node}
            </Text>{' '}
            <Text span inherit c="dimmed">
              {where}
            </Text>
          </span>
        )
      },
    },
    {
      key: 'state',
      title: t('state'),
      width: 'minmax(100px, 130px)',
      phone: 'line',
      cell: (row) => <StatusBadge tone={tones[row.state]}>{t(row.state)}</StatusBadge>,
    },
    { key: 'slots', title: t('slots'), ...figure, width: '94px', cell: (row) => t('slotsOf', { slots: row.slots }) },
    { key: 'turns', title: t('turns'), ...figure, cell: ofLoad(({ turns }) => turns) },
    { key: 'streams', title: t('streams'), ...figure, cell: ofLoad(({ streams }) => streams) },
    {
      key: 'connections',
      title: t('connections'),
      ...figure,
      width: '96px',
      cell: ofLoad(({ connections }) => connections),
    },
    {
      key: 'memory',
      title: t('memory'),
      ...figure,
      cell: (row) => (row.load ? `${Math.round(row.load.memory_bytes / 1_048_576).toLocaleString(language)} MiB` : '–'),
    },
    { key: 'started', title: t('started'), ...figure, width: '116px', cell: (row) => <Time iso={row.started_at} /> },
  ]
}

/** A column of numbers that a phone has no room for. */
const figure = { width: '78px', isNumber: true, isExtra: true } as const

function useActions(onDrain: (node: Node) => void): Column<Node> {
  const t = useText(nodesText)
  const c = useText(sharedText)
  return {
    key: 'actions',
    title: c('actions'),
    width: '88px',
    phone: 'aside',
    cell: (row) =>
      row.state === 'running' && (
        <Button size="xs" variant="default" onClick={() => onDrain(row)}>
          {t('drain')}
        </Button>
      ),
  }
}

const isLiving = ({ state }: Node): boolean => state === 'running' || state === 'draining'
