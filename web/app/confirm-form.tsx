/** Confirms the operator's identity during a session: by password, code or passkey, whichever is set up. */
import { Button, PasswordInput, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import type { Answer } from '../api/types.ts'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { CodeField } from './code-field.tsx'
import { FactorError } from './factor-error.tsx'
import { factorText } from './factor-text.ts'
import { passkeyObstacle, showPasskey } from './passkey.ts'
import { PasskeyButton } from './passkey-button.tsx'

type Factors = Answer<'GET /v1/admin/auth/factors'>

export function ConfirmForm({ onConfirmed }: { onConfirmed(): void }) {
  const f = useText(factorText)
  const [factors, setFactors] = useState<Factors>()
  const [isByCode, setByCode] = useState(false)
  useEffect(() => {
    // If the service cannot say, the password is offered, which nearly everybody has.
    call('GET /v1/admin/auth/factors', {}).then(
      (found) => {
        setFactors(found)
        setByCode(!found.has_password)
      },
      () => undefined,
    )
  }, [])
  const hasPassword = factors?.has_password ?? true
  const hasCode = factors?.totp_since != null || (factors?.recovery_codes_left ?? 0) > 0
  const hasPasskey = (factors?.passkeys ?? 0) > 0 && passkeyObstacle() === undefined
  return (
    <Stack>
      {(hasPassword || hasCode) && <TypedProof key={String(isByCode)} isCode={isByCode} onConfirmed={onConfirmed} />}
      {hasPassword && hasCode && (
        <Button variant="subtle" size="xs" onClick={() => setByCode(!isByCode)}>
          {f(isByCode ? 'usePassword' : 'useCode')}
        </Button>
      )}
      {hasPasskey && (
        <PasskeyButton onUse={() => confirmByPasskey().then(onConfirmed)}>{f('usePasskey')}</PasskeyButton>
      )}
    </Stack>
  )
}

function TypedProof({ isCode, onConfirmed }: { isCode: boolean; onConfirmed(): void }) {
  const f = useText(factorText)
  const c = useText(sharedText)
  const [text, setText] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = isCode ? { code: text.trim() } : { password: text }
    await call('POST /v1/admin/auth/confirm', { body })
    onConfirmed()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {isCode ? (
          <CodeField description={f('totpOrRecoveryHint')} data-autofocus value={text} onCode={setText} />
        ) : (
          <PasswordInput
            label={c('password')}
            name="password"
            autoComplete="current-password"
            required
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <FactorError error={error} />
        <Button type="submit" loading={isBusy}>
          {c('confirm')}
        </Button>
      </Stack>
    </form>
  )
}

async function confirmByPasskey(): Promise<void> {
  const { challenge_id, options } = await call('POST /v1/admin/auth/confirm/options', {})
  const response = await showPasskey(options)
  await call('POST /v1/admin/auth/confirm', { body: { passkey: { challenge_id, response } } })
}
