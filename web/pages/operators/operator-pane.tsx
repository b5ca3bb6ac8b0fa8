/** One operator beside the list: name, role, and actions on the account. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { AccountAction } from './account-actions.tsx'
import { Factors, OperatorState } from './columns.tsx'
import { type Operator, obstacleTo, type Role } from './operator.ts'
import { OperatorError } from './operator-error.tsx'
import styles from './operators.module.css'
import { RoleField } from './role-field.tsx'
import { operatorsText } from './text.ts'

/** What was typed and not saved: what is absent follows the service. */
export interface Draft {
  name?: string
  role?: Role
}

interface OperatorPaneProps {
  id: string
  draft: Draft
  onDraft(draft: Draft): void
  onDo(action: AccountAction, operator: Operator): void
  /** Resolves when the change is shown. */
  onSaved(): Promise<void>
  onClose(): void
}

export function OperatorPane({ id, onClose, ...rest }: OperatorPaneProps) {
  const t = useText(operatorsText)
  const { data, error, refetch } = useQuery({
    queryKey: ['operators', 'one', id],
    queryFn: ({ signal }) => call('GET /v1/admin/operators/{operator_id}', { params: { operator_id: id }, signal }),
  })
  return (
    <DetailPane title={data ? data.name || data.login : t('pane')} label={t('pane')} onClose={onClose}>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data ? <Details of={data} {...rest} /> : error === null && <LoadingRows label={t('pane')} />}
    </DetailPane>
  )
}

type DetailsProps = Omit<OperatorPaneProps, 'id' | 'onClose'> & { of: Operator }

function Details({ of, onDo, ...change }: DetailsProps) {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const { may, session } = useSession()
  const obstacle = obstacleTo(of, session)
  return (
    <>
      <KeyValue
        rows={[
          [t('login'), of.login],
          [
            t('role'),
            of.role && (
              <span key="role" className={styles['role']}>
                {t(of.role)}
              </span>
            ),
          ],
          [c('status'), <OperatorState key="state" of={of} />],
          [t('factor'), <Factors key="factor" of={of} />],
          [t('lastSeen'), <Time key="seen" iso={of.signed_in_at} never={t('neverSeen')} />],
          [t('created'), <Time key="created" iso={of.created_at} />],
          [t('id'), <IdText key="id" id={of.id} />],
        ]}
      />
      {of.roles_elsewhere > 0 && <Text c="dimmed">{t('elsewhere', { n: of.roles_elsewhere })}</Text>}
      {obstacle && <Banner tone="info">{t(obstacle)}</Banner>}
      {!obstacle && may('operators.write') && (
        <>
          <Change of={of} {...change} />
          <AccountActions operator={of} onDo={(action) => onDo(action, of)} />
        </>
      )}
    </>
  )
}

function Change({ of, draft, onDraft, onSaved }: Omit<DetailsProps, 'onDo'>) {
  const t = useText(operatorsText)
  const { name = of.name, role = of.role ?? 'user' } = draft
  const isChanged = name !== of.name || role !== of.role
  /** What is as it is stored is no draft. */
  const change = (typed: Draft) => {
    const next = { name, role, ...typed }
    onDraft({
      ...(next.name !== of.name && { name: next.name }),
      ...(next.role !== (of.role ?? 'user') && { role: next.role }),
    })
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    const changed = { ...(name !== of.name && { name }), ...(role !== of.role && { role }) }
    await call('POST /v1/admin/operators/update', { body: { operator_id: of.id, ...changed } })
    await onSaved()
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('fullName')}
          maxLength={200}
          autoComplete="off"
          value={name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <RoleField role={role} onChange={(chosen) => change({ role: chosen })} />
        <OperatorError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={!isChanged}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function AccountActions({ operator, onDo }: { operator: Operator; onDo(action: AccountAction): void }) {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const actions: AccountAction[] = [
    'resetPassword',
    'endSessions',
    operator.is_disabled ? 'enable' : 'disable',
    'removeRole',
    'delete',
  ]
  return (
    <Group gap="sm" role="group" aria-label={c('actions')}>
      {actions.map((action) => (
        <Button
          key={action}
          variant="default"
          {...(action === 'delete' && { c: 'var(--bad)' })}
          onClick={() => onDo(action)}
        >
          {t(action)}
        </Button>
      ))}
    </Group>
  )
}
