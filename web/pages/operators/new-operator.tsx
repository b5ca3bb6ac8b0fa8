/** Creates an operator, or gives an existing one a role in this workspace. */
import { PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { linkOf, type Role } from './operator.ts'
import { OperatorError } from './operator-error.tsx'
import { RoleField } from './role-field.tsx'
import { operatorsText } from './text.ts'

interface NewOperatorProps {
  /** @param link one-time; null: with the typed password */
  onMade(login: string, link: string | null): void
  onClose(): void
}

export function NewOperator({ onMade, onClose }: NewOperatorProps) {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const [fields, setFields] = useState({ login: '', name: '', password: '' })
  const [role, setRole] = useState<Role>('operator')
  useLeaveGuard(Object.values(fields).some((text) => text !== '') || role !== 'operator')
  const { error, isBusy, submit } = useSubmit(async () => {
    const { password, ...rest } = fields
    const body = { ...rest, role, ...(password !== '' && { password }) }
    const created = await call('POST /v1/admin/operators', { body })
    onMade(created.login, linkOf(created.password_link))
  })
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  return (
    <Dialog title={t('makeTitle')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('login')}
            description={t('loginHint')}
            required
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...field('login')}
          />
          <TextInput label={t('fullName')} maxLength={200} autoComplete="off" {...field('name')} />
          <RoleField role={role} onChange={setRole} />
          <PasswordInput
            label={t('password')}
            description={t('passwordHint')}
            minLength={10}
            autoComplete="new-password"
            {...field('password')}
          />
          <OperatorError error={error} />
          <FormButtons action={c('create')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

export function AddOperator({ onAdded, onClose }: { onAdded(): void; onClose(): void }) {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const [login, setLogin] = useState('')
  const [role, setRole] = useState<Role>('operator')
  useLeaveGuard(login !== '' || role !== 'operator')
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/operators/add', { body: { login, role } })
    onAdded()
  })
  return (
    <Dialog title={t('addTitle')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <Text>{t('addWhy')}</Text>
          <TextInput
            label={t('login')}
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
          />
          <RoleField role={role} onChange={setRole} />
          <OperatorError error={error} messages={{ not_found: t('unknownLogin') }} />
          <FormButtons action={c('create')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
