/** The confirmation of something that cannot be undone, with its error if it fails. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { Dialog } from './dialog.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { useSubmit } from './submit.ts'
import { partsText } from './text.ts'

interface ConfirmActionProps {
  title: string
  /** What will happen, to what. */
  children: ReactNode
  /** The label of the button: a verb, not "OK". */
  actionLabel: string
  isDangerous?: boolean
  /** What has to be typed first: the name of the thing, where much is lost with it. */
  typed?: string
  messages?: Readonly<Record<string, string>>
  /** Resolves when it is done; the dialog is then the caller's to close. */
  onConfirm(): Promise<void>
  onClose(): void
}

export function ConfirmAction(props: ConfirmActionProps) {
  const { title, children, actionLabel, isDangerous = true, typed, messages, onConfirm, onClose } = props
  const c = useText(sharedText)
  const p = useText(partsText)
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim() === typed
  const { error, isBusy, submit } = useSubmit(onConfirm)
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            label={p('typeToConfirm', { name: typed })}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <ErrorPanel error={error} {...(messages && { messages })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus={typed === undefined || undefined}>
            {c('cancel')}
          </Button>
          <Button {...(isDangerous && { color: 'red' })} loading={isBusy} disabled={!isTyped} onClick={() => submit()}>
            {actionLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
