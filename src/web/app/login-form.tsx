/** The fields of a login, and of a proof in mid-session. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Session } from '../api/session.ts'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useSubmit } from '../parts/submit.ts'
import { common } from '../text/common.ts'
import { useText } from '../text/text.ts'
import { rememberedLogin } from './remembered.ts'
import { appText } from './text.ts'

export function LoginForm({
  login: known = rememberedLogin.get(),
  onSignedIn,
}: {
  login?: string
  onSignedIn(session: Session): void
}) {
  const [t, c] = [useText(appText), useText(common)]
  const [login, setLogin] = useState(known)
  const [password, setPassword] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    const session = await call('POST /v1/admin/auth/login', { body: { login, password } })
    rememberedLogin.set(session.operator.login)
    onSignedIn(session)
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('login')}
          name="username"
          autoComplete="username webauthn"
          required
          value={login}
          onChange={(event) => setLogin(event.currentTarget.value)}
          data-autofocus={known === '' || undefined}
        />
        <PasswordInput
          label={c('password')}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus={known !== '' || undefined}
        />
        <ErrorPanel error={error} words={{ login_refused: t('loginRefused') }} />
        <Button type="submit" loading={isBusy}>
          {c('signIn')}
        </Button>
      </Stack>
    </form>
  )
}

export function ConfirmForm({ onConfirmed }: { onConfirmed(): void }) {
  const [t, c] = [useText(appText), useText(common)]
  const [password, setPassword] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/auth/confirm', { body: { password } })
    onConfirmed()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label={c('password')}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorPanel error={error} words={{ confirmation_refused: t('loginRefused') }} />
        <Button type="submit" loading={isBusy}>
          {c('confirm')}
        </Button>
      </Stack>
    </form>
  )
}
