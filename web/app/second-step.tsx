/** The second step of signing in: a code of an app, a recovery code, or a passkey. */

import { Button, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Answer, Body } from '../api/types.ts'
import { Banner } from '../parts/banner.tsx'
import { useSubmit } from '../parts/submit.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { CodeField } from './code-field.tsx'
import { FactorError } from './factor-error.tsx'
import { factorText } from './factor-text.ts'
import { showPasskey } from './passkey.ts'
import { PasskeyButton } from './passkey-button.tsx'

type SecondFactors = Extract<Answer<'POST /v1/admin/auth/login'>, { ok: false }>['second_factor']

/** Sent with login and password. Without a proof the service answers with a fresh challenge. */
export type FactorProof = Pick<Body<'POST /v1/admin/auth/login'>, 'code' | 'passkey'>

interface SecondStepProps {
  factors: SecondFactors
  onProof(proof: FactorProof): Promise<void>
  onBack(): void
}

export function SecondStep({ factors, onProof, onBack }: SecondStepProps) {
  const f = useText(factorText)
  const { passkey } = factors
  const hasTotp = factors.methods.includes('totp')
  const hasRecovery = factors.methods.includes('recovery_code')
  const hasCode = hasTotp || hasRecovery
  return (
    <Stack>
      <Text role="status">{f('secondStep')}</Text>
      {passkey && (
        <PasskeyButton isMain onUse={() => proveByPasskey(passkey, onProof)}>
          {f('usePasskey')}
        </PasskeyButton>
      )}
      {hasCode && (
        <CodeStep
          hint={f(hasTotp ? (hasRecovery ? 'totpOrRecoveryHint' : 'totpHint') : 'recoveryHint')}
          isMain={!passkey}
          onProof={onProof}
        />
      )}
      {!passkey && factors.methods.includes('passkey') && <Banner tone="warn">{f('noFactorHere')}</Banner>}
      <Button variant="subtle" size="xs" onClick={onBack}>
        {f('otherAccount')}
      </Button>
    </Stack>
  )
}

interface CodeStepProps {
  hint: string
  isMain: boolean
  onProof(proof: FactorProof): Promise<void>
}

function CodeStep({ hint, isMain, onProof }: CodeStepProps) {
  const c = useText(sharedText)
  const [code, setCode] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { error, isBusy, submit } = useSubmit(async () => {
    try {
      await onProof({ code: code.trim() })
    } catch (failure) {
      field.current?.select()
      throw failure
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <CodeField ref={field} description={hint} autoFocus={isMain} value={code} onCode={setCode} />
        <FactorError error={error} />
        <Button type="submit" variant={isMain ? 'filled' : 'default'} loading={isBusy}>
          {c('signIn')}
        </Button>
      </Stack>
    </form>
  )
}

type PasskeyChallenge = NonNullable<SecondFactors['passkey']>

async function proveByPasskey(challenge: PasskeyChallenge, onProof: SecondStepProps['onProof']): Promise<void> {
  const { challenge_id, options } = challenge
  const response = await showPasskey(options)
  try {
    await onProof({ passkey: { challenge_id, response } })
  } catch (failure) {
    // The challenge is used up: the next attempt needs a new one, while the failure stays on screen.
    await onProof({})
    throw failure
  }
}
