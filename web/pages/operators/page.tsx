/** Operators of the workspace: who may sign in, with which role, found and opened beside the list with their accounts. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState, NothingFits } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { useMyWorkspaces } from '../../parts/my-workspaces.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Page } from '../../parts/page.tsx'
import { useRefreshOnAudit } from '../../parts/refresh-on-audit.ts'
import { type Removal, useRemoval } from '../../parts/removal.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { ViewTabs } from '../../parts/view-tabs.tsx'
import { useText } from '../../text/text.ts'
import { type AccountAction, ConfirmAccountAction, perform, takesAway } from './account-actions.tsx'
import { shownBeside, useColumns } from './columns.tsx'
import { FilterRow } from './filter-row.tsx'
import { noFilters, queryOf } from './filters.ts'
import type { Operator } from './operator.ts'
import { useRefusals } from './operator-error.tsx'
import { type Draft, OperatorPane } from './operator-pane.tsx'
import { operatorsText } from './text.ts'

const NewOperator = lazy(() => import('./new-operator.tsx').then((all) => ({ default: all.NewOperator })))
const AddOperator = lazy(() => import('./new-operator.tsx').then((all) => ({ default: all.AddOperator })))

/** What the list shows of them changes by these. */
const actions = ['operator.', 'factor.', 'session.begin'] as const
const { operator: _operator, ...viewFilters } = noFilters

type OpenDialog =
  | { is: 'make' | 'add' }
  | { is: 'confirm'; action: Exclude<AccountAction, 'enable'>; operator: Operator }
  | { is: 'show'; login: string; link: string }

export default function OperatorsPage() {
  const t = useText(operatorsText)
  const { may } = useSession()
  const queries = useQueryClient()
  const refusals = useRefusals()
  const [filters, filter] = useFilters(noFilters)
  const { operator, ...narrowing } = filters
  const [dialog, setDialog] = useState<OpenDialog>()
  const [error, setError] = useState<unknown>()
  const { isGone, remove } = useRemoval(operator)
  const { draftOf, setDraft, dropDraft } = useDrafts()
  const columns = useColumns()
  const workspaces = useMyWorkspaces().data ?? []
  const here = workspaces.length > 1 ? workspaces.find(({ is_current }) => is_current) : undefined
  const query = queryOf(filters)
  const set = Object.keys(query).length
  const close = () => setDialog(undefined)
  useRefreshOnAudit(actions, ['operators'])
  const refresh = () => void queries.invalidateQueries({ queryKey: ['operators'] })
  const show = (login: string, link: string | null) => {
    setDialog(link === null ? undefined : { is: 'show', login, link })
    refresh()
  }
  const actionDone = (of: Operator, action: AccountAction, link: string | null) => {
    if (takesAway(action)) {
      dropDraft(of.id, draftOf(of.id))
      filter({ operator: '' })
    }
    show(of.login, link)
  }
  async function enable(id: string): Promise<void> {
    setError(undefined)
    await perform('enable', id).catch(setError)
    refresh()
  }
  const isOpen = operator !== '' && !isGone
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
      tabs={
        <ViewTabs
          name="operators"
          label={t('views')}
          views={[
            { title: t('all'), filters: {} },
            { title: t('withoutFactor'), filters: { second_factor: 'false' } },
            { title: t('disabledOnes'), filters: { disabled: 'true' } },
          ]}
          byDefault={viewFilters}
          filters={narrowing}
          onChoose={filter}
        />
      }
    >
      <ErrorPanel error={error} messages={refusals} />
      <ListWithPane
        pane={
          isOpen && (
            <OperatorPane
              key={operator}
              id={operator}
              draft={draftOf(operator)}
              onDraft={(draft) => setDraft(operator, draft)}
              onDo={(action, of) =>
                action === 'enable' ? void enable(of.id) : setDialog({ is: 'confirm', action, operator: of })
              }
              onSaved={async () => {
                await queries.invalidateQueries({ queryKey: ['operators'] })
                dropDraft(operator, draftOf(operator))
              }}
              onClose={() => filter({ operator: '' })}
            />
          )
        }
      >
        <FilterRow filters={filters} filter={filter} />
        <DataTable<Operator>
          label={t('title')}
          queryKey={['operators', 'list', query]}
          load={async (cursor, signal) => {
            const asked = { limit: 50, ...query, ...(cursor !== undefined && { cursor }) }
            const page = await call('GET /v1/admin/operators', { query: asked, signal })
            return { rows: page.items, next: page.next_cursor }
          }}
          columns={isOpen ? columns.filter(({ key }) => shownBeside.includes(key)) : columns}
          rowKey={(row) => row.id}
          onOpen={(row) => filter({ operator: row.id })}
          openKey={isOpen ? operator : undefined}
          keepsPlace
          empty={
            set > 0 ? (
              <NothingFits title={t('nothingFits')} filters={set} onClear={() => filter({ ...noFilters, operator })} />
            ) : (
              <EmptyState icon={Users} title={t('empty')} />
            )
          }
        />
      </ListWithPane>
      {dialog && <OperatorDialog dialog={dialog} remove={remove} onMade={show} onAction={actionDone} onClose={close} />}
    </Page>
  )
}

/** What was typed about operators and not saved stays while others are looked at. */
function useDrafts() {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  useLeaveGuard(
    Object.values(drafts).some((draft) => Object.keys(draft).length > 0),
    { isKeptInPage: true },
  )
  return {
    draftOf: (id: string): Draft => drafts[id] ?? {},
    /** Unless more was typed since. */
    dropDraft: (id: string, saved: Draft) =>
      setDrafts((before) => (before[id] === saved ? { ...before, [id]: {} } : before)),
    setDraft: (id: string, draft: Draft) => setDrafts((before) => ({ ...before, [id]: draft })),
  }
}

interface OperatorDialogProps {
  dialog: OpenDialog
  remove: Removal['remove']
  /** @param link to be shown once */
  onMade(login: string, link: string | null): void
  onAction(operator: Operator, action: AccountAction, link: string | null): void
  onClose(): void
}

function OperatorDialog({ dialog, remove, onMade, onAction, onClose }: OperatorDialogProps) {
  const t = useText(operatorsText)
  switch (dialog.is) {
    case 'make':
      return (
        <Suspense>
          <NewOperator onMade={onMade} onClose={onClose} />
        </Suspense>
      )
    case 'add':
      return (
        <Suspense>
          <AddOperator onAdded={() => onMade('', null)} onClose={onClose} />
        </Suspense>
      )
    case 'confirm':
      return (
        <ConfirmAccountAction
          action={dialog.action}
          operator={dialog.operator}
          remove={remove}
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
    default:
      return dialog satisfies never
  }
}
