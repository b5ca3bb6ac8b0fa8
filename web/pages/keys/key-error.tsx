/** An error about a key. */
import { ApiFailure } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useText } from '../../text/text.ts'
import { keysText } from './text.ts'

interface KeyErrorProps {
  error: unknown
  messages?: Readonly<Record<string, string>>
}

export function KeyError({ error, messages: more = {} }: KeyErrorProps) {
  const t = useText(keysText)
  const param = error instanceof ApiFailure ? (error.param ?? '') : ''
  const messages: Record<string, string> = { scope_beyond_maker: t('beyond'), ...more }
  if (error instanceof ApiFailure && param.startsWith('allowed_ips')) messages[error.code] = t('wrongAddress')
  if (error instanceof ApiFailure && param.startsWith('expires_at')) messages[error.code] = t('pastExpiry')
  return <ErrorPanel error={error} messages={messages} />
}
