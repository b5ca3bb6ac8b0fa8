/** One conversation: its messages with their figures, the streaming answer, and the actions. */

import { Anchor, Badge, Code, Group, Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { eventKinds } from '../../api/feed-source.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { useThrottled } from '../../parts/use-throttled.ts'
import { useText } from '../../text/text.ts'
import { useDeliveries, useTurns } from './about-messages.ts'
import { Composer } from './composer.tsx'
import type { Conversation } from './conversation.ts'
import { ConversationActions } from './conversation-actions.tsx'
import { ConversationDialog, type Dialog } from './dialogs.tsx'
import { useLiveAnswer } from './live-answer.ts'
import { MessageActions } from './message-actions.tsx'
import { conversationText } from './text.ts'
import { ThreadView } from './thread.tsx'
import { useThread } from './thread-state.ts'

export default function ConversationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useText(conversationText)
  const conversation = useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/conversations/{conversation_id}', { params: { conversation_id: id }, signal }),
  })
  if (conversation.data) return <ExistingConversation key={id} conversation={conversation.data} />
  return (
    <Page title={t('conversations')}>
      {conversation.isError ? (
        <ErrorPanel error={conversation.error} onRetry={() => void conversation.refetch()} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  )
}

function ExistingConversation({ conversation }: { conversation: Conversation }) {
  const t = useText(conversationText)
  const { id } = conversation
  const { may } = useSession()
  const queries = useQueryClient()
  const thread = useThread(id)
  const turns = useTurns(id, thread.messages)
  const deliveries = useDeliveries(id, conversation.channel !== null && may('deliveries.read'))
  const [dialog, setDialog] = useState<Dialog>()
  const action = useRef<() => Promise<void>>(async () => {})
  const refresh = () => {
    void thread.refresh()
    void refetchNow(queries, ['conversation', id])
  }
  const refreshSoon = useFollow(id, refresh)
  const { live, isLost } = useLiveAnswer(id, may('chat.use'), refreshSoon)
  const { error, submit } = useSubmit(async () => {
    await action.current()
    refresh()
  })
  const isAnswered = live !== undefined && thread.messages.some(isAnswerOf(live.turnId))
  return (
    <Page
      title={conversation.title || t('untitled')}
      actions={
        <ConversationActions
          conversation={conversation}
          onDialog={setDialog}
          run={(work) => {
            action.current = work
            submit()
          }}
        />
      }
    >
      <Facts conversation={conversation} />
      <ErrorPanel error={error} />
      {isLost && (
        <Text c="dimmed" role="status">
          {t('notLive')}
        </Text>
      )}
      <ThreadView
        thread={thread}
        turns={turns}
        deliveries={deliveries}
        live={isAnswered ? undefined : live}
        isLost={isLost}
        contextAfterSeq={conversation.context_after_seq}
        actionsOf={(message) => may('conversations.write') && <MessageActions message={message} onDialog={setDialog} />}
      />
      {may('conversations.write') && <Composer conversation={conversation} onPosted={refresh} />}
      {dialog && (
        <ConversationDialog
          conversation={conversation}
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onRated={(message, feedback) => thread.change(message, { feedback })}
        />
      )}
    </Page>
  )
}

const isAnswerOf = (turnId: string) => (message: { turn_id: string; role: string; superseded_by: string | null }) =>
  message.turn_id === turnId && message.role === 'assistant' && message.superseded_by === null

const followMs = 300

/** Refreshes on events of this conversation, at most every 0.3 s. @returns the throttled refresh */
function useFollow(id: string, refresh: () => void): () => void {
  const soon = useThrottled(followMs, refresh)
  useEvents(eventKinds, (event) => event.conversation_id === id && soon(), soon)
  return soon
}

function Facts({ conversation }: { conversation: Conversation }) {
  const t = useText(conversationText)
  const { channel, external_id: sender, folder, tags, parent_id: parent } = conversation
  return (
    <Group gap="sm" style={{ overflowWrap: 'anywhere' }}>
      <Code>{conversation.id}</Code>
      <Text size="sm" c="dimmed" component="div">
        {t('begun')} <Time iso={conversation.created_at} />
      </Text>
      {channel && (
        <Text size="sm">
          {t('channel')}: {channel} · {sender}
        </Text>
      )}
      {folder && (
        <Text size="sm">
          {t('folder')}: {folder}
        </Text>
      )}
      {tags.map((tag) => (
        <Badge key={tag} variant="default" size="sm" tt="none" radius="sm">
          {tag}
        </Badge>
      ))}
      {parent && (
        <Anchor size="sm" renderRoot={linkTo(`/conversations/${parent}`)}>
          {t('forkedFrom')}
        </Anchor>
      )}
    </Group>
  )
}
