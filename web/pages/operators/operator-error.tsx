/** Error messages about operators. */
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useText } from '../../text/text.ts'
import { operatorsText } from './text.ts'

export function useRefusals(): Readonly<Record<string, string>> {
  const t = useText(operatorsText)
  return {
    login_taken: t('loginTaken'),
    last_owner: t('lastOwner'),
    already_here: t('alreadyHere'),
    role_beyond_maker: t('beyond'),
    role_elsewhere: t('roleElsewhere'),
    own_account: t('ownAccount'),
  }
}

export function OperatorError({
  error,
  messages = {},
}: {
  error: unknown
  messages?: Readonly<Record<string, string>>
}) {
  return <ErrorPanel error={error} messages={{ ...useRefusals(), ...messages }} />
}
