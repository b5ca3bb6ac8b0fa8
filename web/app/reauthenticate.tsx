/** The dialog in front of a page whose session has ended, or whose change wants a proof of who is there. */
import { Stack, Text } from '@mantine/core'
import type { Session } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useText } from '../text/text.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { LoginForm } from './login-form.tsx'
import { signInText } from './sign-in-text.ts'

export type Asked = 'sign-in' | 'confirm'

interface AskAgainProps {
  what: Asked
  login: string
  workspaceId: string
  onSignedIn(session: Session): void
  /** They have shown who they are. */
  onConfirmed(): void
  onRefused(): void
}

export default function AskAgain({ what, login, workspaceId, onSignedIn, onConfirmed, onRefused }: AskAgainProps) {
  const t = useText(signInText)
  return (
    <Dialog title={t(what === 'confirm' ? 'confirmTitle' : 'signInTitle')} onClose={onRefused} isFirm>
      <Stack>
        <Text size="sm">{t(what === 'confirm' ? 'confirmWhy' : 'signInAgain')}</Text>
        {what === 'confirm' ? (
          <ConfirmForm onConfirmed={onConfirmed} />
        ) : (
          <LoginForm login={login} workspaceId={workspaceId} onSignedIn={onSignedIn} />
        )}
      </Stack>
    </Dialog>
  )
}
