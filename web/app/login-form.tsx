/** Signing in: login and password, then the second factor where there is one; or a passkey alone. */
import { Button, Divider, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Session } from '../api/session.ts'
import type { Answer, Body } from '../api/types.ts'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { lastLogin } from './browser-settings.ts'
import { FactorError } from './factor-error.tsx'
import { factorText } from './factor-text.ts'
import { passkeyObstacle, showPasskey } from './passkey.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { type FactorProof, SecondStep } from './second-step.tsx'
import { signInText } from './sign-in-text.ts'

type LoginAnswer = Answer<'POST /v1/admin/auth/login'>
type FactorPrompt = Extract<LoginAnswer, { ok: false }>['second_factor']

interface LoginFormProps {
  login?: string
  /** The previous workspace, so that repeated calls reach the same one. */
  workspaceId?: string
  onSignedIn(session: Session): void
}

export function LoginForm({ login: initialLogin = lastLogin.get(), workspaceId, onSignedIn }: LoginFormProps) {
  const f = useText(factorText)
  const [login, setLogin] = useState(initialLogin)
  const [password, setPassword] = useState('')
  const [factorPrompt, setFactorPrompt] = useState<FactorPrompt>()
  const where = workspaceId === undefined ? {} : { workspace_id: workspaceId }

  function signedIn(session: Session): void {
    lastLogin.set(session.operator.login)
    onSignedIn(session)
  }
  async function signIn(proof: FactorProof): Promise<void> {
    const body: Body<'POST /v1/admin/auth/login'> = { login, password, ...proof, ...where }
    const answer = await call('POST /v1/admin/auth/login', { body })
    if (answer.ok) signedIn(answer)
    else setFactorPrompt(answer.second_factor)
  }

  if (factorPrompt)
    return (
      <SecondStep
        factors={factorPrompt}
        onProof={signIn}
        onBack={() => {
          setFactorPrompt(undefined)
          setPassword('')
        }}
      />
    )
  return (
    <Stack>
      <PasswordStep
        fields={{ login, password }}
        hasLogin={initialLogin !== ''}
        onLogin={setLogin}
        onPassword={setPassword}
        onSend={() => signIn({})}
      />
      {passkeyObstacle() === undefined && (
        <>
          <Divider />
          <PasskeyButton onUse={() => passkeySession(where).then(signedIn)}>{f('passkeySignIn')}</PasskeyButton>
        </>
      )}
    </Stack>
  )
}

interface PasswordStepProps {
  fields: { login: string; password: string }
  hasLogin: boolean
  onLogin(login: string): void
  onPassword(password: string): void
  onSend(): Promise<void>
}

function PasswordStep({ fields, hasLogin, onLogin, onPassword, onSend }: PasswordStepProps) {
  const t = useText(signInText)
  const c = useText(sharedText)
  const { error, isBusy, submit } = useSubmit(onSend)
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('login')}
          name="username"
          autoComplete="username webauthn"
          required
          value={fields.login}
          onChange={(event) => onLogin(event.currentTarget.value)}
          data-autofocus={!hasLogin || undefined}
        />
        <PasswordInput
          label={c('password')}
          name="password"
          autoComplete="current-password"
          required
          value={fields.password}
          onChange={(event) => onPassword(event.currentTarget.value)}
          data-autofocus={hasLogin || undefined}
        />
        <FactorError error={error} />
        <Button type="submit" loading={isBusy}>
          {c('signIn')}
        </Button>
      </Stack>
    </form>
  )
}

async function passkeySession(where: { workspace_id?: string }): Promise<Session> {
  const { challenge_id, options } = await call('POST /v1/admin/auth/passkey/options', {})
  const response = await showPasskey(options)
  return await call('POST /v1/admin/auth/passkey/login', { body: { challenge_id, response, ...where } })
}
