/** The confirmation of something that cannot be undone, with its error if it fails. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { Dialog } from './dialog.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { useSubmit } from './submit.ts'

interface ConfirmActionProps {
  title: string
  /** What will happen, to what. */
  children: ReactNode
  /** The label of the button: a verb, not "OK". */
  actionLabel: string
  isDangerous?: boolean
  messages?: Readonly<Record<string, string>>
  /** Resolves when it is done; the dialog is then the caller's to close. */
  onConfirm(): Promise<void>
  onClose(): void
}

export function ConfirmAction(props: ConfirmActionProps) {
  const { title, children, actionLabel, isDangerous = true, messages, onConfirm, onClose } = props
  const c = useText(sharedText)
  const { error, isBusy, submit } = useSubmit(onConfirm)
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <ErrorPanel error={error} {...(messages && { messages })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {c('cancel')}
          </Button>
          <Button {...(isDangerous && { color: 'red' })} loading={isBusy} onClick={() => submit()}>
            {actionLabel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
