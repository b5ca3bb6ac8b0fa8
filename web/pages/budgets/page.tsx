/** Budgets: how full each is, what happens at its limit, and where it goes; made, changed and removed. */
import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { useFilters } from '../../parts/filters.ts'
import { percentText } from '../../parts/format.ts'
import { Meter } from '../../parts/meter.tsx'
import { Page } from '../../parts/page.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { amountText, type Budget, limitOf, shareOf } from './budget.ts'
import { BudgetPane, BudgetState } from './budget-pane.tsx'
import { budgetsListed } from './budgets-listed.ts'
import { useSubjects } from './subjects.ts'
import { budgetsText } from './text.ts'

const BudgetDialog = lazy(() => import('./budget-dialog.tsx'))

const byDefault = { open: '' }
const refetchMs = 15_000
type OpenDialog = { is: 'new' } | { is: 'change' | 'remove'; budget: Budget }

export default function BudgetsPage() {
  const t = useText(budgetsText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [filters, filter] = useFilters(byDefault)
  const [dialog, setDialog] = useState<OpenDialog>()
  const { nameOf, choices } = useSubjects()
  useRefreshOn(['alert.fired', 'alert.resolved'], ['budgets'])
  const { data: rows } = useQuery(budgetsListed)
  const columns = useColumns(nameOf)
  const open = rows?.find(({ id }) => id === filters.open)
  const close = () => setDialog(undefined)
  const add = may('money.write') && <Button onClick={() => setDialog({ is: 'new' })}>{t('add')}</Button>
  return (
    <Page title={t('title')} about={t('about')} actions={rows?.length !== 0 && add}>
      <ListWithPane
        pane={
          open && (
            <BudgetPane
              budget={open}
              name={nameOf(open)}
              onChange={() => setDialog({ is: 'change', budget: open })}
              onRemove={() => setDialog({ is: 'remove', budget: open })}
              onClose={() => filter({ open: '' })}
            />
          )
        }
      >
        <DataTable<Budget>
          label={t('title')}
          queryKey={['budgets', 'rows']}
          load={async () => ({ rows: await queries.fetchQuery(budgetsListed), next: null })}
          refetchMs={refetchMs}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => filter({ open: id })}
          openKey={open?.id}
          empty={
            <EmptyState icon={Wallet} title={t('empty')} actions={add}>
              {t('emptyWhy')}
            </EmptyState>
          }
        />
      </ListWithPane>
      {dialog && dialog.is !== 'remove' && (
        <Suspense>
          <BudgetDialog
            budget={dialog.is === 'change' ? dialog.budget : undefined}
            budgets={rows ?? []}
            choices={choices}
            nameOf={nameOf}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog?.is === 'remove' && (
        <ConfirmAction
          title={t('removeTitle', { name: nameOf(dialog.budget) })}
          actionLabel={t('remove')}
          onConfirm={async () => {
            await call('POST /v1/admin/budgets/remove', { body: { id: dialog.budget.id } })
            await queries.invalidateQueries({ queryKey: ['budgets'] })
            close()
          }}
          onClose={close}
        >
          {t('removeWhy')}
        </ConfirmAction>
      )}
    </Page>
  )
}

function useColumns(nameOf: (budget: Budget) => string): Column<Budget>[] {
  const t = useText(budgetsText)
  const language = useLanguage()
  return [
    {
      key: 'state',
      title: t('state'),
      width: 'minmax(100px, 180px)',
      phone: 'line',
      cell: (row) => <BudgetState of={row} />,
    },
    {
      key: 'subject',
      title: t('of'),
      width: 'minmax(110px, 2fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (
        <>
          {nameOf(row)}{' '}
          {row.subject !== 'workspace' && (
            <Text span size="sm" c="dimmed">
              {t(row.subject)}
            </Text>
          )}
        </>
      ),
    },
    { key: 'period', title: t('period'), width: '80px', phone: 'line', cell: (row) => t(row.period) },
    {
      key: 'spent',
      title: t('spent'),
      width: 'minmax(80px, 100px)',
      isNumber: true,
      phone: 'aside',
      cell: (row) => amountText(row, Number(row.spent), language),
    },
    {
      key: 'limit',
      title: t('limit'),
      width: 'minmax(80px, 100px)',
      isNumber: true,
      phone: 'none',
      cell: (row) => amountText(row, limitOf(row), language),
    },
    {
      key: 'share',
      title: t('full'),
      width: 'minmax(90px, 1fr)',
      phone: 'none',
      cell: (row) => <Meter share={shareOf(row)} label={t('fullOf', { name: nameOf(row) })} />,
    },
    {
      key: 'percent',
      title: '%',
      width: '60px',
      isNumber: true,
      phone: 'end',
      cell: (row) => percentText(shareOf(row), language),
    },
    {
      key: 'action',
      title: t('atLimit'),
      width: 'minmax(90px, 170px)',
      isExtra: true,
      phone: 'none',
      cell: (row) => t(row.hard_limit === null ? 'tells' : 'refuses'),
    },
  ]
}
