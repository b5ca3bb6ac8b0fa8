/** Changes the password; the current one is required. */

import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import { Section } from './section.tsx'
import { accountText } from './text.ts'

const blank = { current: '', newPassword: '', repeated: '' }

export function PasswordSection({ hasPassword }: { hasPassword: boolean }) {
  const t = useText(accountText)
  if (hasPassword) return <PasswordForm />
  return (
    <Section title={t('passwordTitle')}>
      <Text>{t('noPassword')}</Text>
    </Section>
  )
}

function PasswordForm() {
  const t = useText(accountText)
  const { session } = useSession()
  const queries = useQueryClient()
  const [fields, setFields] = useState(blank)
  const [sessionsEnded, setSessionsEnded] = useState<number>()
  const isDifferent = fields.repeated !== '' && fields.repeated !== fields.newPassword
  const { error, isBusy, submit } = useSubmit(async () => {
    setSessionsEnded(undefined)
    const body = { current: fields.current, new: fields.newPassword }
    setSessionsEnded((await call('POST /v1/admin/auth/password', { body })).sessions_ended)
    setFields(blank)
    void queries.invalidateQueries({ queryKey: ['account'] })
  })
  const field = (name: keyof typeof fields) => ({
    required: true,
    value: fields[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  return (
    <Section title={t('passwordTitle')}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw={420}>
          {/* Password managers need the login. */}
          <input type="text" name="username" autoComplete="username" value={session.operator.login} readOnly hidden />
          <PasswordInput label={t('current')} autoComplete="current-password" {...field('current')} />
          <PasswordInput
            label={t('fresh')}
            description={t('freshHint')}
            autoComplete="new-password"
            minLength={10}
            {...field('newPassword')}
          />
          <PasswordInput
            label={t('again')}
            autoComplete="new-password"
            error={isDifferent && t('notSame')}
            {...field('repeated')}
          />
          <ErrorPanel error={error} messages={{ password_wrong: t('passwordWrong') }} />
          {sessionsEnded !== undefined && (
            <Banner tone="ok" role="status">
              {t('passwordChanged', { n: sessionsEnded })}
            </Banner>
          )}
          <Group>
            <Button type="submit" variant="default" loading={isBusy} disabled={fields.repeated !== fields.newPassword}>
              {t('changePassword')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
