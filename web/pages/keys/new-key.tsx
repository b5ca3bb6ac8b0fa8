/** The form of a new key. */
import { Checkbox, Stack } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type Scope, scopeTexts } from './key.ts'
import { KeyError } from './key-error.tsx'
import { LimitsFields, limitsBody, noLimits } from './limits.tsx'
import { keysText } from './text.ts'

export function NewKey({ onMade, onClose }: { onMade(key: string): void; onClose(): void }) {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { session } = useSession()
  const [limits, setLimits] = useState(noLimits)
  const [scopes, setScopes] = useState<Scope[]>(['chat'])
  const [rate, setRate] = useState<number>()
  const [tokenRate, setTokenRate] = useState<number>()
  useLeaveGuard(limits !== noLimits || scopes.join() !== 'chat' || rate !== undefined || tokenRate !== undefined)
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = {
      ...limitsBody(limits),
      scopes,
      rate_limit_rpm: rate ?? null,
      rate_limit_tpm: tokenRate ?? null,
    }
    onMade((await call('POST /v1/admin/apikeys', { body })).key)
  })
  const offered = (Object.keys(scopeTexts) as Scope[]).filter((scope) => scope !== '*' || session.role === 'owner')
  return (
    <Dialog title={t('makeTitle')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <LimitsFields limits={limits} onChange={(change) => setLimits((before) => ({ ...before, ...change }))} />
          <Checkbox.Group
            label={t('scopes')}
            value={scopes}
            onChange={(chosen) => setScopes(chosen as Scope[])}
            required
          >
            <Stack gap={6} mt={6}>
              {offered.map((scope) => (
                <Checkbox key={scope} value={scope} label={t(scopeTexts[scope])} description={scope} />
              ))}
            </Stack>
          </Checkbox.Group>
          <NumberField
            label={t('rate')}
            description={t('rateHint')}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            value={rate}
            onNumber={setRate}
          />
          <NumberField
            label={t('tokenRate')}
            description={t('rateHint')}
            min={1}
            max={1_000_000_000}
            allowDecimal={false}
            value={tokenRate}
            onNumber={setTokenRate}
          />
          <KeyError error={error} />
          <FormButtons action={c('create')} isBusy={isBusy} isDisabled={scopes.length === 0} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
