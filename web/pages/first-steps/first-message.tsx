/** Waits for the first message of a channel, and shows it with its answer. */

import { Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import type { Answer } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { turnStatusText } from '../../parts/turn-status.tsx'
import { type Translate, useText } from '../../text/text.ts'
import { firstConversation, progressKey } from './progress.ts'
import { stepsText } from './text.ts'

interface FirstExchange {
  message: string
  reply: string | undefined
  /** The turn, if it ended without a reply. */
  endedTurn: Turn | undefined
}

type Turn = Answer<'GET /v1/admin/turns/{turn_id}'>

export function FirstMessage({ channel }: { channel: string }) {
  const t = useText(stepsText)
  const statusText = useText(turnStatusText)
  const queries = useQueryClient()
  const queryKey = [...progressKey, 'first-message', channel]
  // Refetched at intervals too, in case the feed is down.
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
          <Group gap="sm">
            <Loader size={16} aria-hidden />
            <Text>{t('waiting')}</Text>
          </Group>
          <Text size="sm" c="dimmed">
            {t('notBound')}
          </Text>
        </Stack>
      )}
      {data && (
        <Banner tone="ok" title={t('arrived')}>
          <Labelled label={t('message')} text={data.message} />
          {data.reply !== undefined && <Labelled label={t('reply')} text={data.reply} />}
          {data.reply === undefined && (
            <Text>
              {data.endedTurn ? t('noReply', { outcome: outcomeOf(data.endedTurn, statusText) }) : t('answering')}
            </Text>
          )}
        </Banner>
      )}
    </div>
  )
}

function Labelled({ label, text }: { label: string; text: string }) {
  return (
    <Text style={{ whiteSpace: 'pre-wrap' }} lineClamp={12}>
      <b>{label}:</b> {text}
    </Text>
  )
}

/** Null: there is no message yet. */
async function readFirstExchange(channel: string, signal: AbortSignal): Promise<FirstExchange | null> {
  const conversation = await firstConversation(channel, signal)
  if (!conversation) return null
  const query = { id: conversation.id, limit: 20 }
  const { messages } = await call('GET /v1/admin/conversations/messages', { query, signal })
  const message = messages.findLast(({ role }) => role === 'user')
  if (!message) return null
  const text = textOf(message.content)
  const reply = messages.findLast(({ role, turn_id }) => role === 'assistant' && turn_id === message.turn_id)
  if (reply) return { message: text, reply: textOf(reply.content), endedTurn: undefined }
  const turn = await call('GET /v1/admin/turns/{turn_id}', { params: { turn_id: message.turn_id }, signal })
  return { message: text, reply: undefined, endedTurn: hasEndedWithoutReply(turn) ? turn : undefined }
}

const hasEndedWithoutReply = ({ status }: Turn): boolean =>
  status === 'failed' || status === 'cancelled' || status === 'interrupted'

const outcomeOf = ({ status, error }: Turn, statusText: Translate<typeof turnStatusText.en>): string =>
  error ? `${statusText(status)}, ${error.message}` : statusText(status)

/** Text, or the text of its parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('\n')
}
