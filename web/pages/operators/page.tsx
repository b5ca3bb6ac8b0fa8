/** Operators of the workspace: who may sign in, with which role, and their accounts. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { useMyWorkspaces } from '../../parts/my-workspaces.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import { type AccountAction, ConfirmAccountAction, perform } from './account-actions.tsx'
import { Details, factorsOf } from './details.tsx'
import { AddOperator, NewOperator } from './new-operator.tsx'
import type { Operator } from './operator.ts'
import { useRefusals } from './operator-error.tsx'
import { operatorsText } from './text.ts'

type OpenDialog =
  /** Removed: the operator in the address no longer exists here. */
  | { is: 'make' | 'add' | 'removed' }
  | { is: 'confirm'; action: Exclude<AccountAction, 'enable'>; operator: Operator }
  | { is: 'show'; login: string; link: string }

const noFilters = { operator: '' }

export default function OperatorsPage() {
  const t = useText(operatorsText)
  const { may } = useSession()
  const queries = useQueryClient()
  const refusals = useRefusals()
  const [{ operator }, filter] = useFilters(noFilters)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [error, setError] = useState<unknown>()
  const columns = useColumns()
  const workspaces = useMyWorkspaces().data ?? []
  const here = workspaces.length > 1 ? workspaces.find(({ is_current }) => is_current) : undefined
  const close = () => setDialog(undefined)
  const refresh = () => void queries.invalidateQueries({ queryKey: ['operators'] })
  const show = (login: string, link: string | null) => {
    setDialog(link === null ? undefined : { is: 'show', login, link })
    refresh()
  }
  const actionDone = (of: Operator, action: AccountAction, link: string | null) => {
    if (action !== 'delete' && action !== 'removeRole') return show(of.login, link)
    setDialog({ is: 'removed' })
    filter({ operator: '' })
    refresh()
  }
  async function enable(id: string): Promise<void> {
    setError(undefined)
    await perform('enable', id).catch(setError)
    refresh()
  }
  return (
    <Page
      title={t('title')}
      about={here ? t('aboutOf', { name: here.name }) : t('about')}
      actions={
        may('operators.write') && (
          <>
            <Button variant="default" onClick={() => setDialog({ is: 'add' })}>
              {t('add')}
            </Button>
            <Button onClick={() => setDialog({ is: 'make' })}>{t('make')}</Button>
          </>
        )
      }
    >
      <ErrorPanel error={error} messages={refusals} />
      <DataTable<Operator>
        label={t('title')}
        queryKey={['operators']}
        load={async (cursor, signal) => {
          const query = { limit: 50, ...(cursor !== undefined && { cursor }) }
          const page = await call('GET /v1/admin/operators', { query, signal })
          return { rows: page.items, next: page.next_cursor }
        }}
        columns={columns}
        rowKey={(row) => row.id}
        rowHeight={48}
        onOpen={(row) => {
          close()
          filter({ operator: row.id })
        }}
        empty={t('empty')}
      />
      {operator !== '' && dialog === undefined && (
        <Details
          id={operator}
          onDo={(action, of) =>
            action === 'enable' ? void enable(of.id) : setDialog({ is: 'confirm', action, operator: of })
          }
          onChanged={refresh}
          onClose={() => filter({ operator: '' })}
        />
      )}
      {dialog && <OperatorDialog dialog={dialog} onMade={show} onAction={actionDone} onClose={close} />}
    </Page>
  )
}

interface OperatorDialogProps {
  dialog: OpenDialog
  /** @param link to be shown once */
  onMade(login: string, link: string | null): void
  onAction(operator: Operator, action: AccountAction, link: string | null): void
  onClose(): void
}

function OperatorDialog({ dialog, onMade, onAction, onClose }: OperatorDialogProps) {
  const t = useText(operatorsText)
  switch (dialog.is) {
    case 'make':
      return <NewOperator onMade={onMade} onClose={onClose} />
    case 'add':
      return <AddOperator onAdded={() => onMade('', null)} onClose={onClose} />
    case 'confirm':
      return (
        <ConfirmAccountAction
          action={dialog.action}
          operator={dialog.operator}
          onDone={(link) => onAction(dialog.operator, dialog.action, link)}
          onClose={onClose}
        />
      )
    case 'show':
      return (
        <OneTimeSecret
          title={t('onceTitle', { name: dialog.login })}
          why={t('once')}
          label={t('link')}
          text={dialog.link}
          onClose={onClose}
        />
      )
    case 'removed':
      return null
    default:
      return dialog satisfies never
  }
}

function useColumns(): Column<Operator>[] {
  const t = useText(operatorsText)
  const { session } = useSession()
  return [
    {
      key: 'login',
      title: t('login'),
      width: 'minmax(110px, 2fr)',
      cell: (row) => (
        <>
          <Text fw={500} truncate>
            {row.login}
            {row.id === session.operator.id && ` (${t('you')})`}
          </Text>
          <Text size="sm" c="dimmed" truncate>
            {row.name}
          </Text>
        </>
      ),
    },
    {
      key: 'role',
      title: t('role'),
      width: 'minmax(90px, 130px)',
      cell: (row) => row.role && <StatusBadge tone="busy">{t(row.role)}</StatusBadge>,
    },
    {
      key: 'state',
      title: t('state'),
      width: 'minmax(76px, 120px)',
      cell: (row) => (
        <StatusBadge tone={row.is_disabled ? 'bad' : 'good'}>{t(row.is_disabled ? 'disabled' : 'enabled')}</StatusBadge>
      ),
    },
    { key: 'factor', title: t('factor'), width: 'minmax(110px, 1fr)', cell: (row) => factorsOf(row, t), isExtra: true },
    {
      key: 'seen',
      title: t('lastSeen'),
      width: 'minmax(90px, 160px)',
      cell: (row) => <Time iso={row.signed_in_at} never={t('neverSeen')} />,
      isExtra: true,
    },
  ]
}
