/** An error for the operator: what happened, what to do, and the request id to search the log for. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { ApiFailure, SignInDeclined } from '../api/call.ts'
import { sharedText } from '../text/shared-text.ts'
import { type Translate, useText } from '../text/text.ts'

interface ErrorPanelProps {
  error: unknown
  /** The page's own messages, by error code. */
  messages?: Readonly<Record<string, string>>
  onRetry?(): void
}

export function ErrorPanel({ error, messages = {}, onRetry }: ErrorPanelProps) {
  const t = useText(sharedText)
  if (error === undefined || error === null || error instanceof SignInDeclined) return null
  const failure = error instanceof ApiFailure ? error : undefined
  return (
    <Alert color="red" variant="light" role="alert" title={t('failed')}>
      <Stack gap="xs">
        <Text size="sm">{errorMessage(error, messages, t)}</Text>
        {failure && failure.requestId !== '' && (
          <Text size="xs" c="dimmed">
            {t('requestId')} <Code>{failure.requestId}</Code> · {failure.status} <Code>{failure.code}</Code>
          </Text>
        )}
        {onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
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
