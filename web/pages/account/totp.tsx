/** Setting up an authenticator app: the secret as a QR code and as text, then its first code. */
import { Button, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { CodeField } from '../../app/code-field.tsx'
import { CopyText } from '../../parts/copy-text.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { QrCode } from './qr-code.tsx'
import { accountText } from './text.ts'

type TotpSetup = Answer<'POST /v1/admin/auth/totp/begin'>

export function SetUpTotp({ onCodes, onClose }: { onCodes(codes: string[]): void; onClose(): void }) {
  const t = useText(accountText)
  const [setup, setSetup] = useState<TotpSetup>()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let isMounted = true
    call('POST /v1/admin/auth/totp/begin', {}).then(
      (answer) => isMounted && setSetup(answer),
      (failure: unknown) => isMounted && setError(failure),
    )
    return () => {
      isMounted = false
    }
  }, [])
  return (
    <Dialog title={t('totpTitle')} onClose={onClose} isFirm>
      <ErrorPanel error={error} />
      {setup ? (
        <Scan setup={setup} onCodes={onCodes} />
      ) : (
        error === undefined && (
          <Center mih={200}>
            <Loader />
          </Center>
        )
      )}
    </Dialog>
  )
}

function Scan({ setup, onCodes }: { setup: TotpSetup; onCodes(codes: string[]): void }) {
  const t = useText(accountText)
  const c = useText(sharedText)
  const [code, setCode] = useState('')
  const { error, isBusy, submit } = useSubmit(async () => {
    const answer = await call('POST /v1/admin/auth/totp/confirm', { body: { code: code.trim() } })
    onCodes(answer.recovery_codes)
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>{t('totpScan')}</Text>
        <Center>
          <QrCode text={setup.uri} label={t('qr')} />
        </Center>
        <CopyText text={setup.secret} label={t('secret')} />
        <CodeField label={t('totpCode')} inputMode="numeric" maxLength={10} value={code} onCode={setCode} />
        <ErrorPanel error={error} messages={{ code_refused: t('codeRefused') }} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {c('confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
