/** Errors of signing in and confirming, including the browser's own errors about passkeys. */
import { ErrorPanel } from '../parts/error-panel.tsx'
import { useText } from '../text/text.ts'
import { factorText } from './factor-text.ts'
import { PasskeyFailed } from './passkey.ts'
import { signInText } from './sign-in-text.ts'

export function FactorError({ error }: { error: unknown }) {
  const t = useText(signInText)
  const f = useText(factorText)
  const displayedError = error instanceof PasskeyFailed ? new Error(f(error.code, { reason: error.message })) : error
  const messages = {
    login_refused: t('loginRefused'),
    second_factor_refused: f('factorRefused'),
    confirmation_refused: f('confirmRefused'),
    passkey_refused: f('passkeyRefused'),
    passkeys_need_https: f('passkeyInsecure'),
    passkeys_need_host_name: f('passkeyAddress'),
    no_role: f('noRole'),
  }
  return <ErrorPanel error={displayedError} messages={messages} />
}
