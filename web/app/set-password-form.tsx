/** Setting the password with a one-time link that an administrator made. */

import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { Banner } from '../parts/banner.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { lastLogin } from './browser-settings.ts'
import { signInText } from './sign-in-text.ts'

interface SetPasswordFormProps {
  /** Of the link. */
  secret: string
  /** The person now signs in. */
  onDone(): void
}

export function SetPasswordForm({ secret, onDone }: SetPasswordFormProps) {
  const t = useText(signInText)
  const c = useText(sharedText)
  const [password, setPassword] = useState('')
  const [login, setLogin] = useState<string>()
  const { error, isBusy, submit } = useSubmit(async () => {
    const answer = await call('POST /v1/admin/auth/set-password', { body: { secret, password } })
    lastLogin.set(answer.login)
    setLogin(answer.login)
  })
  if (login !== undefined)
    return (
      <Stack>
        <Banner tone="ok" role="status">
          {t('passwordIsSet', { login })}
        </Banner>
        <Button onClick={onDone} data-autofocus>
          {c('signIn')}
        </Button>
      </Stack>
    )
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('setPasswordWhy')}</Text>
        <PasswordInput
          label={t('newPassword')}
          description={t('passwordHint')}
          name="new-password"
          autoComplete="new-password"
          minLength={10}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus
        />
        <ErrorPanel error={error} messages={{ link_refused: t('linkRefused') }} />
        <Button type="submit" loading={isBusy}>
          {t('setPassword')}
        </Button>
      </Stack>
    </form>
  )
}
