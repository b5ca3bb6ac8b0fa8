/** The dialog over a page when its session has ended, or when a change needs a confirmation. */
import { Stack, Text } from '@mantine/core'
import type { Session } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useText } from '../text/text.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { LoginForm } from './login-form.tsx'
import { signInText } from './sign-in-text.ts'

export type AuthenticationPrompt = 'sign-in' | 'confirm'

interface ReauthenticateProps {
  what: AuthenticationPrompt
  login: string
  workspaceId: string
  onSignedIn(session: Session): void
  onConfirmed(): void
  onRefused(): void
}

export default function Reauthenticate({
  what,
  login,
  workspaceId,
  onSignedIn,
  onConfirmed,
  onRefused,
}: ReauthenticateProps) {
  const t = useText(signInText)
  return (
    <Dialog title={t(what === 'confirm' ? 'confirmTitle' : 'signInTitle')} onClose={onRefused} isFirm>
      <Stack>
        <Text>{t(what === 'confirm' ? 'confirmWhy' : 'signInAgain')}</Text>
        {what === 'confirm' ? (
          <ConfirmForm onConfirmed={onConfirmed} />
        ) : (
          <LoginForm login={login} workspaceId={workspaceId} onSignedIn={onSignedIn} />
        )}
      </Stack>
    </Dialog>
  )
}
