/** The dialog in front of a page whose session has ended, or whose change wants a proof of who is there. */
import { Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Session } from '../api/session.ts'
import { useText } from '../text/text.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { LoginForm } from './login-form.tsx'
import { appText } from './text.ts'

export type Asked = 'sign-in' | 'confirm'

interface AskAgainProps {
  what: Asked
  login: string
  workspaceId: string
  onSignedIn(session: Session): void
  onDone(): void
  onRefused(): void
}

export default function AskAgain({ what, login, workspaceId, onSignedIn, onDone, onRefused }: AskAgainProps) {
  const t = useText(appText)
  const [isOpen, setOpen] = useState(true)
  const close = () => {
    setOpen(false)
    onRefused()
  }
  return (
    <Modal opened={isOpen} onClose={close} title={t(what === 'confirm' ? 'confirmTitle' : 'signInTitle')} centered>
      <Stack>
        <Text size="sm">{t(what === 'confirm' ? 'confirmWhy' : 'signInAgain')}</Text>
        {what === 'confirm' ? (
          <ConfirmForm onConfirmed={onDone} />
        ) : (
          <LoginForm
            login={login}
            workspaceId={workspaceId}
            onSignedIn={(next) => {
              onSignedIn(next)
              onDone()
            }}
          />
        )}
      </Stack>
    </Modal>
  )
}
