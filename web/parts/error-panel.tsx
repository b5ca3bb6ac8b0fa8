/** An error for the operator: what happened and why, what to do, and the code and request id to search the log for. */
import { Button } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { ApiFailure, SignInDeclined } from '../api/call.ts'
import { sharedText } from '../text/shared-text.ts'
import { type Translate, useText } from '../text/text.ts'
import styles from './error-panel.module.css'
import { IdText } from './id-text.tsx'

interface ErrorPanelProps {
  error: unknown
  /** The page's own messages, by error code. */
  messages?: Readonly<Record<string, string>>
  onRetry?(): void
  /** Other next steps: buttons. */
  actions?: ReactNode
}

export function ErrorPanel({ error, messages = {}, onRetry, actions }: ErrorPanelProps) {
  const t = useText(sharedText)
  if (error === undefined || error === null || error instanceof SignInDeclined) return null
  const failure = error instanceof ApiFailure ? error : undefined
  return (
    <div className={styles['panel']} role="alert">
      <CircleAlert size={16} aria-hidden />
      <div className={styles['words']}>
        <strong>{t('failed')}</strong>
        <div>{errorMessage(error, messages, t)}</div>
        {failure && failure.requestId !== '' && (
          <div className={styles['trace']}>
            {failure.status} <span className="mono">{failure.code}</span> · {t('requestId')}{' '}
            <IdText id={failure.requestId} />
          </div>
        )}
        {(onRetry || actions) && (
          <div className={styles['actions']}>
            {onRetry && (
              <Button size="xs" variant="default" onClick={onRetry}>
                {t('retry')}
              </Button>
            )}
            {actions}
          </div>
        )}
      </div>
    </div>
  )
}

export function errorMessage(
  error: unknown,
  messages: Readonly<Record<string, string>>,
  t: Translate<typeof sharedText.en>,
): string {
  if (!(error instanceof ApiFailure)) return error instanceof Error ? error.message : String(error)
  const own = messages[error.code]
  if (own !== undefined) return own
  if (error.status === 0) return t('unreachable', { where: error.message })
  if (error.status === 429 && error.retryAfterS) return t('rateLimited', { n: error.retryAfterS })
  if (error.status === 403 && error.code === 'forbidden') return `${t('notPermitted')} ${error.message}`
  if (error.code === 'installation_only') return t('installationOnly')
  if (error.code.startsWith('SVC-')) return t('defect')
  return error.param ? `${error.message} (${error.param})` : error.message
}
