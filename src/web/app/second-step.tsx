/** The second step of signing in: a code of an app, a recovery code, or a passkey. */
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Answer, Body } from '../api/types.ts'
import { useSubmit } from '../parts/submit.ts'
import { sharedWords } from '../text/shared-words.ts'
import { useText } from '../text/text.ts'
import { FactorError } from './factor-error.tsx'
import { factorText } from './factor-text.ts'
import { showPasskey } from './passkey.ts'

type FactorAsked = Extract<Answer<'POST /v1/admin/auth/login'>, { ok: false }>['second_factor']

/** What goes with login and password; with nothing, the service asks again, for a fresh challenge. */
export type FactorProof = Pick<Body<'POST /v1/admin/auth/login'>, 'code' | 'passkey'>

interface SecondStepProps {
  asked: FactorAsked
  onProof(proof: FactorProof): Promise<void>
  onBack(): void
}

export function SecondStep({ asked, onProof, onBack }: SecondStepProps) {
  const f = useText(factorText)
  const hasTotp = asked.methods.includes('totp')
  const hasRecovery = asked.methods.includes('recovery_code')
  const hasCode = hasTotp || hasRecovery
  return (
    <Stack>
      <Text size="sm" role="status">
        {f('secondStep')}
      </Text>
      {asked.passkey && <PasskeyStep asked={asked.passkey} onProof={onProof} />}
      {hasCode && (
        <CodeStep
          hint={f(hasTotp ? (hasRecovery ? 'totpOrRecoveryHint' : 'totpHint') : 'recoveryHint')}
          isMain={!asked.passkey}
          onProof={onProof}
        />
      )}
      {!asked.passkey && asked.methods.includes('passkey') && <Alert color="yellow">{f('noFactorHere')}</Alert>}
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
  const [f, c] = [useText(factorText), useText(sharedWords)]
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
        <TextInput
          ref={field}
          label={f('code')}
          description={hint}
          name="code"
          autoComplete="one-time-code"
          spellCheck={false}
          required
          autoFocus={isMain}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <FactorError error={error} />
        <Button type="submit" variant={isMain ? 'filled' : 'default'} loading={isBusy}>
          {c('signIn')}
        </Button>
      </Stack>
    </form>
  )
}

interface PasskeyStepProps {
  asked: NonNullable<FactorAsked['passkey']>
  onProof(proof: FactorProof): Promise<void>
}

function PasskeyStep({ asked, onProof }: PasskeyStepProps) {
  const f = useText(factorText)
  const { error, isBusy, submit } = useSubmit(async () => {
    const { challenge_id, options } = asked
    const response = await showPasskey(options)
    try {
      await onProof({ passkey: { challenge_id, response } })
    } catch (failure) {
      // The challenge is spent: the next try needs another, and the failure is still to be read.
      await onProof({})
      throw failure
    }
  })
  return (
    <Stack>
      <FactorError error={error} />
      <Button leftSection={<KeyRound size={16} aria-hidden />} loading={isBusy} onClick={() => submit()}>
        {f('usePasskey')}
      </Button>
    </Stack>
  )
}
