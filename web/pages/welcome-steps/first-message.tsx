/** The wait for the first message of a channel: it is shown as it arrives, and its answer after it. */
import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useText } from '../../text/text.ts'
import { firstConversation, progressKey } from './progress.ts'
import { stepsText } from './text.ts'

interface FirstExchange {
  said: string
  answered: string | undefined
  /** Of the turn, where there is no answer. */
  ending: string | undefined
}

export function FirstMessage({ channel }: { channel: string }) {
  const t = useText(stepsText)
  const queries = useQueryClient()
  const queryKey = [...progressKey, 'first-message', channel]
  // Also where the feed is down.
  const firstExchange = useQuery({
    queryKey,
    queryFn: ({ signal }) => readFirstExchange(channel, signal),
    refetchInterval: 5_000,
  })
  useEvents(['message.created', 'turn.completed', 'turn.failed', 'turn.cancelled'], (event) => {
    if (event.channel === channel) void refetchNow(queries, progressKey)
  })
  const { data } = firstExchange
  if (firstExchange.isError)
    return <ErrorPanel error={firstExchange.error} onRetry={() => void firstExchange.refetch()} />
  return (
    <div role="status">
      {!data && (
        <Stack gap={4}>
          <Group gap="xs">
            <Loader size={16} aria-hidden />
            <Text size="sm">{t('waiting')}</Text>
          </Group>
          <Text size="xs" c="dimmed">
            {t('notBound')}
          </Text>
        </Stack>
      )}
      {data && (
        <Alert color="green" variant="light" title={t('arrived')}>
          <Words label={t('said')} text={data.said} />
          {data.answered !== undefined && <Words label={t('answered')} text={data.answered} />}
          {data.answered === undefined && (
            <Text size="sm">{data.ending ? t('noAnswer', { status: data.ending }) : t('answering')}</Text>
          )}
        </Alert>
      )}
    </div>
  )
}

function Words({ label, text }: { label: string; text: string }) {
  return (
    <Text size="sm" style={{ whiteSpace: 'pre-wrap' }} lineClamp={12}>
      <b>{label}:</b> {text}
    </Text>
  )
}

/** Null: nobody has written yet. */
async function readFirstExchange(channel: string, signal: AbortSignal): Promise<FirstExchange | null> {
  const conversation = await firstConversation(channel, signal)
  if (!conversation) return null
  const query = { id: conversation.id, limit: 20 }
  const { messages } = await call('GET /v1/admin/conversations/messages', { query, signal })
  const said = messages.findLast(({ role }) => role === 'user')
  if (!said) return null
  const answered = messages.findLast(({ role, turn_id }) => role === 'assistant' && turn_id === said.turn_id)
  if (answered) return { said: textOf(said.content), answered: textOf(answered.content), ending: undefined }
  const turn = await call('GET /v1/admin/turns/{turn_id}', { params: { turn_id: said.turn_id }, signal })
  const isOver = turn.status === 'failed' || turn.status === 'cancelled' || turn.status === 'interrupted'
  return { said: textOf(said.content), answered: undefined, ending: isOver ? wordsOf(turn) : undefined }
}

const wordsOf = ({ status, error }: { status: string; error: { message: string } | null }): string =>
  error ? `${status}, ${error.message}` : status

/** Text, or the text of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n')
}
