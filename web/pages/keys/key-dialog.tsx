/** The dialogs of the page on keys; loaded with the first one. */
import { call } from '../../api/call.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Key } from './key.ts'
import { NewKey } from './new-key.tsx'
import { Rotate } from './rotate.tsx'
import { keysText } from './text.ts'

export type OpenDialog = { is: 'make' } | { is: 'rotate' | 'revoke'; key: Key } | { is: 'show'; text: string }

interface KeyDialogProps {
  dialog: OpenDialog
  onChanged(): void
  onDialog(dialog: OpenDialog | undefined): void
}

export default function KeyDialog({ dialog, onChanged, onDialog }: KeyDialogProps) {
  const t = useText(keysText)
  const c = useText(sharedText)
  const close = () => onDialog(undefined)
  const show = (text: string) => {
    onDialog({ is: 'show', text })
    onChanged()
  }
  switch (dialog.is) {
    case 'make':
      return <NewKey onMade={show} onClose={close} />
    case 'rotate':
      return <Rotate of={dialog.key} onMade={show} onClose={close} />
    case 'revoke':
      return (
        <ConfirmAction
          title={t('revokeTitle', { name: dialog.key.name })}
          actionLabel={c('revoke')}
          messages={{ not_found: t('gone') }}
          onConfirm={async () => {
            await call('POST /v1/admin/apikeys/revoke', { body: { id: dialog.key.id } })
            onChanged()
            close()
          }}
          onClose={close}
        >
          {t('revokeWhy')}
        </ConfirmAction>
      )
    case 'show':
      return (
        <OneTimeSecret title={t('onceTitle')} why={t('once')} label={t('key')} text={dialog.text} onClose={close} />
      )
    default:
      return dialog satisfies never
  }
}
