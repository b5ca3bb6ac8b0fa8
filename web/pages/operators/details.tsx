/** One operator: name, role, and actions on the account. */

import { Button, Divider, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { AccountAction } from './account-actions.tsx'
import { type Operator, obstacleTo, type Role } from './operator.ts'
import { OperatorError } from './operator-error.tsx'
import { RoleField } from './role-field.tsx'
import { operatorsText } from './text.ts'

interface DetailsProps {
  id: string
  onDo(action: AccountAction, operator: Operator): void
  onChanged(): void
  onClose(): void
}

export function Details({ id, onDo, onChanged, onClose }: DetailsProps) {
  const t = useText(operatorsText)
  const { may, session } = useSession()
  const query = useQuery({
    queryKey: ['operators', 'one', id],
    queryFn: ({ signal }) => call('GET /v1/admin/operators/{operator_id}', { params: { operator_id: id }, signal }),
  })
  const operator = query.data
  const obstacle = operator && obstacleTo(operator, session)
  return (
    <Dialog title={operator?.login ?? t('title')} onClose={onClose}>
      <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      {query.isPending && <Skeleton height={200} />}
      {operator && (
        <Stack>
          <Facts operator={operator} />
          {obstacle && <Banner tone="info">{t(obstacle)}</Banner>}
          {!obstacle && may('operators.write') && (
            <>
              <Change key={`${operator.name} ${operator.role}`} operator={operator} onChanged={onChanged} />
              <Divider />
              <AccountActions operator={operator} onDo={(action) => onDo(action, operator)} />
            </>
          )}
        </Stack>
      )}
    </Dialog>
  )
}

function Facts({ operator }: { operator: Operator }) {
  const t = useText(operatorsText)
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <StatusBadge tone={operator.is_disabled ? 'bad' : 'good'}>
          {t(operator.is_disabled ? 'disabled' : 'enabled')}
        </StatusBadge>
        {operator.role && <StatusBadge tone="busy">{t(operator.role)}</StatusBadge>}
        <Text>{operator.name}</Text>
      </Group>
      <Text c="dimmed" component="div">
        {t('lastSeen')}: <Time iso={operator.signed_in_at} never={t('neverSeen')} /> · {t('factor')}:{' '}
        {factorsOf(operator, t)}
      </Text>
      {operator.roles_elsewhere > 0 && <Text c="dimmed">{t('elsewhere', { n: operator.roles_elsewhere })}</Text>}
    </Stack>
  )
}

export function factorsOf(operator: Operator, t: ReturnType<typeof useText<typeof operatorsText.en>>): string {
  const factors = [
    ...(operator.has_totp ? [t('factorApp')] : []),
    ...(operator.passkeys > 0 ? [t('factorPasskeys', { n: operator.passkeys })] : []),
  ]
  return factors.join(', ') || t('factorNone')
}

function Change({ operator, onChanged }: { operator: Operator; onChanged(): void }) {
  const t = useText(operatorsText)
  const [name, setName] = useState(operator.name)
  const [role, setRole] = useState<Role>(operator.role ?? 'user')
  const { error, isBusy, submit } = useSubmit(async () => {
    const changed = { ...(name !== operator.name && { name }), ...(role !== operator.role && { role }) }
    await call('POST /v1/admin/operators/update', { body: { operator_id: operator.id, ...changed } })
    onChanged()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('fullName')}
          maxLength={200}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RoleField role={role} onChange={setRole} />
        <OperatorError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={name === operator.name && role === operator.role}>
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
          size="xs"
          variant={action === 'delete' ? 'light' : 'default'}
          {...(action === 'delete' && { color: 'red' })}
          onClick={() => onDo(action)}
        >
          {t(action)}
        </Button>
      ))}
    </Group>
  )
}
