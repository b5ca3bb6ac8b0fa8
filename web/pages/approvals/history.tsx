/** Past decisions: by whom, when and why, with the arguments. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DetailPane, ListWithPane } from '../../parts/detail-pane.tsx'
import { NothingFits } from '../../parts/empty-state.tsx'
import { FilterBar } from '../../parts/filter-bar.tsx'
import { useFilters } from '../../parts/filters.ts'
import { KeyValue } from '../../parts/key-value.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Approval } from './approval-card.tsx'
import { approvalsKey } from './approvals-key.ts'
import { ArgumentsCard, argumentsLine } from './arguments.tsx'
import { approvalsText } from './text.ts'
import { TurnLink } from './turn-link.tsx'

const statuses = ['approved', 'refused', 'expired', 'cancelled'] as const
const states: Record<Approval['status'], StateName> = {
  pending: 'waiting',
  approved: 'healthy',
  refused: 'failed',
  expired: 'degraded',
  cancelled: 'cancelled',
}
const byDefault = { status: '', open: '' }

export function History() {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  const [{ status, open: openId }, filter] = useFilters(byDefault)
  const [latest, setLatest] = useState<Approval>()
  const open = latest?.id === openId ? latest : undefined
  const selectedStatus = statuses.find((one) => one === status)
  const columns: Column<Approval>[] = [
    { key: 'status', title: c('status'), width: '110px', phone: 'line', cell: (row) => <Status of={row} /> },
    {
      key: 'tool',
      title: t('tool'),
      width: 'minmax(90px, 1fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => row.tool,
    },
    {
      key: 'arguments',
      title: t('arguments'),
      width: 'minmax(100px, 2fr)',
      isExtra: true,
      cell: (row) => argumentsLine(row.arguments) || '–',
    },
    { key: 'agent', title: t('agent'), width: 'minmax(60px, 1fr)', isExtra: true, cell: (row) => row.agent },
    {
      key: 'by',
      title: t('decidedBy'),
      width: 'minmax(80px, 1fr)',
      phone: 'end',
      cell: (row) => row.decided_by ?? '–',
    },
    { key: 'reason', title: t('reason'), width: 'minmax(80px, 1fr)', isExtra: true, cell: (row) => row.reason ?? '–' },
    {
      key: 'at',
      title: t('decidedAt'),
      width: '70px',
      phone: 'aside',
      isNumber: true,
      cell: (row) => <Ago iso={row.decided_at} />,
    },
  ]
  function show(row: Approval): void {
    setLatest(row)
    filter({ open: row.id })
  }
  return (
    <>
      <FilterBar>
        <NativeSelect
          aria-label={c('status')}
          value={selectedStatus ?? ''}
          data={[{ value: '', label: t('anyDecision') }, ...statuses.map((value) => ({ value, label: t(value) }))]}
          onChange={(event) => filter({ status: event.currentTarget.value })}
        />
      </FilterBar>
      <ListWithPane pane={open && <Details approval={open} onClose={() => filter({ open: '' })} />}>
        <DataTable
          label={t('history')}
          queryKey={[...approvalsKey, 'history', selectedStatus ?? '']}
          load={async (cursor, signal) => {
            const query = { limit: 50, ...(selectedStatus && { status: selectedStatus }), ...(cursor && { cursor }) }
            const { items, next_cursor } = await call('GET /v1/admin/approvals', { query, signal })
            const opened = items.find(({ id }) => id === openId)
            if (opened) setLatest(opened)
            return { rows: items.filter((one) => one.status !== 'pending'), next: next_cursor }
          }}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={show}
          openKey={openId}
          empty={
            selectedStatus === undefined ? (
              t('noneDecided')
            ) : (
              <NothingFits title={c('nothingFound')} filters={1} onClear={() => filter({ status: '' })} />
            )
          }
        />
      </ListWithPane>
    </>
  )
}

function Status({ of }: { of: Approval }) {
  const t = useText(approvalsText)
  return <State state={states[of.status]}>{t(of.status)}</State>
}

function Details({ approval, onClose }: { approval: Approval; onClose(): void }) {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  return (
    <DetailPane title={approval.tool} label={approval.tool} onClose={onClose}>
      <KeyValue
        rows={[
          [c('status'), <Status key="status" of={approval} />],
          [t('decidedBy'), approval.decided_by ?? '–'],
          [t('decidedAt'), <Time key="at" iso={approval.decided_at} />],
          [t('requested'), <Time key="since" iso={approval.requested_at} />],
          [t('agent'), approval.agent],
          [t('turn'), <TurnLink key="turn" id={approval.turn_id} />],
        ]}
      />
      {approval.reason !== null && (
        <p>
          <b>{t('reason')}:</b> {approval.reason}
        </p>
      )}
      <ArgumentsCard value={approval.arguments} />
    </DetailPane>
  )
}
