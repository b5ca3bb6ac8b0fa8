/** The forms that create and rename a passkey. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { FactorError } from '../../app/factor-error.tsx'
import { makePasskey } from '../../app/passkey.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { accountText } from './text.ts'

export function NewPasskey({ onMade, onClose }: { onMade(codes: string[] | null): void; onClose(): void }) {
  const t = useText(accountText)
  const c = useText(sharedText)
  async function make(name: string): Promise<void> {
    const { challenge_id, options } = await call('POST /v1/admin/auth/passkeys/register/options', {})
    const response = await makePasskey(options)
    const created = await call('POST /v1/admin/auth/passkeys/register/verify', {
      body: { challenge_id, name, response },
    })
    onMade(created.recovery_codes)
  }
  return (
    <Dialog title={t('passkeyNew')} onClose={onClose} isFirm>
      <NameForm name="" actionLabel={c('create')} onSend={make} />
    </Dialog>
  )
}

interface RenameProps {
  passkey: { id: string; name: string }
  onDone(): void
  onClose(): void
}

export function RenamePasskey({ passkey, onDone, onClose }: RenameProps) {
  const t = useText(accountText)
  const c = useText(sharedText)
  async function rename(name: string): Promise<void> {
    await call('POST /v1/admin/auth/passkeys/rename', { body: { id: passkey.id, name } })
    onDone()
  }
  return (
    <Dialog title={t('renameTitle', { name: passkey.name })} onClose={onClose} isFirm>
      <NameForm name={passkey.name} actionLabel={c('rename')} onSend={rename} />
    </Dialog>
  )
}

function NameForm({
  name: currentName,
  actionLabel,
  onSend,
}: {
  name: string
  actionLabel: string
  onSend(name: string): Promise<void>
}) {
  const t = useText(accountText)
  const [name, setName] = useState(currentName)
  const { error, isBusy, submit } = useSubmit(() => onSend(name.trim()))
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('passkeyName')}
          description={t('passkeyNameHint')}
          required
          maxLength={100}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FactorError error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={name.trim() === ''}>
            {actionLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
