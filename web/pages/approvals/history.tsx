/** Past decisions: by whom, when and why, with the arguments. */
import { Code, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useFilters } from '../../parts/filters.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type Approval, approvalsKey } from './approval-card.tsx'
import { approvalsText } from './text.ts'
import { TurnLink } from './turn-link.tsx'
import { visibleJson } from './visible-json.ts'

const statuses = ['approved', 'refused', 'expired', 'cancelled'] as const
const tones: Record<Approval['status'], Tone> = {
  pending: 'busy',
  approved: 'good',
  refused: 'bad',
  expired: 'warn',
  cancelled: 'quiet',
}
const noFilters = { status: '' }

export function History() {
  const t = useText(approvalsText)
  const c = useText(sharedText)
  const [{ status }, filter] = useFilters(noFilters)
  const [openApproval, setOpenApproval] = useState<Approval>()
  const selectedStatus = statuses.find((one) => one === status)
  const columns: Column<Approval>[] = [
    { key: 'status', title: c('status'), width: '110px', cell: (row) => <Status of={row} /> },
    { key: 'tool', title: t('tool'), width: 'minmax(110px, 1fr)', cell: (row) => row.tool },
    { key: 'agent', title: t('agent'), width: 'minmax(90px, 1fr)', cell: (row) => row.agent, isExtra: true },
    { key: 'by', title: t('decidedBy'), width: 'minmax(90px, 1fr)', cell: (row) => row.decided_by ?? '–' },
    { key: 'reason', title: t('reason'), width: 'minmax(120px, 2fr)', cell: (row) => row.reason ?? '–', isExtra: true },
    { key: 'at', title: t('decidedAt'), width: '160px', cell: (row) => <Time iso={row.decided_at} />, isExtra: true },
  ]
  return (
    <Stack gap="sm">
      <NativeSelect
        label={c('status')}
        w={220}
        value={selectedStatus ?? ''}
        data={[{ value: '', label: c('all') }, ...statuses.map((value) => ({ value, label: t(value) }))]}
        onChange={(event) => filter({ status: event.currentTarget.value })}
      />
      <DataTable
        label={t('history')}
        queryKey={[...approvalsKey, 'history', selectedStatus ?? '']}
        load={async (cursor, signal) => {
          const query = { limit: 50, ...(selectedStatus && { status: selectedStatus }), ...(cursor && { cursor }) }
          const { items, next_cursor } = await call('GET /v1/admin/approvals', { query, signal })
          return { rows: items.filter((one) => one.status !== 'pending'), next: next_cursor }
        }}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={(row) => setOpenApproval(row)}
        empty={t('noneDecided')}
      />
      {openApproval && <Details approval={openApproval} onClose={() => setOpenApproval(undefined)} />}
    </Stack>
  )
}

function Status({ of }: { of: Approval }) {
  const t = useText(approvalsText)
  return <StatusBadge tone={tones[of.status]}>{t(of.status)}</StatusBadge>
}

function Details({ approval, onClose }: { approval: Approval; onClose(): void }) {
  const t = useText(approvalsText)
  return (
    <Dialog title={approval.tool} onClose={onClose} size="lg">
      <Stack gap="sm">
        <Group gap="sm">
          <Status of={approval} />
          <Text>
            {approval.decided_by} <Time iso={approval.decided_at} />
          </Text>
        </Group>
        {approval.reason !== null && (
          <Text>
            {t('reason')}: {approval.reason}
          </Text>
        )}
        <Code block tabIndex={0} role="region" aria-label={t('arguments')}>
          {visibleJson(approval.arguments)}
        </Code>
        <Text size="sm" c="dimmed">
          {approval.agent} · {t('requested')} <Time iso={approval.requested_at} /> · <TurnLink id={approval.turn_id} />
        </Text>
      </Stack>
    </Dialog>
  )
}
