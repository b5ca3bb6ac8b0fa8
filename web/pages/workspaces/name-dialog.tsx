/** The dialog for the name of a workspace, to create or rename one. */
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { workspacesText } from './text.ts'

interface NameDialogProps {
  title: string
  why: string
  /** Empty for a new one. */
  name: string
  actionLabel: string
  onName(name: string): Promise<void>
  onClose(): void
}

export function NameDialog({ title, why, name: currentName, actionLabel, onName, onClose }: NameDialogProps) {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const [name, setName] = useState(currentName)
  const { error, isBusy, submit } = useSubmit(() => onName(name.trim()))
  return (
    <Dialog title={title} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <Text>{why}</Text>
          <TextInput
            label={c('name')}
            description={t('nameHint')}
            required
            maxLength={100}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ErrorPanel error={error} messages={{ too_many_workspaces: t('full') }} />
          <FormButtons
            action={actionLabel}
            isBusy={isBusy}
            isDisabled={name.trim() === '' || name.trim() === currentName}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
