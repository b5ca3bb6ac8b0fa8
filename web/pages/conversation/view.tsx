/** A conversation with its messages, the streaming answer, the actions and the composer, in the frame that it is given. */
import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { refetchNow, useEvents } from '../../api/feed.ts'
import { eventKinds } from '../../api/feed-source.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useThrottled } from '../../parts/use-throttled.ts'
import { useText } from '../../text/text.ts'
import { type Turn, useDeliveries, useTurns } from './about-messages.ts'
import { Composer } from './composer.tsx'
import type { Conversation } from './conversation.ts'
import { ConversationActions } from './conversation-actions.tsx'
import { ConversationDialog, type Dialog } from './dialogs.tsx'
import { useLiveAnswer } from './live-answer.ts'
import { MessageActions } from './message-actions.tsx'
import { conversationText } from './text.ts'
import { ThreadView } from './thread.tsx'
import { useThread } from './thread-state.ts'

/** What a frame puts around the messages: those of a page, or of a pane. */
export interface Framed {
  title: string
  /** Undefined: it is not loaded. */
  conversation?: Conversation
  /** Of the messages that are loaded, and newer. */
  turns?: ReadonlyMap<string, Turn>
  /** Older messages are not loaded. */
  hasOlder?: boolean
  actions?: ReactNode
  body: ReactNode
}

export function ConversationView({ id, frame }: { id: string; frame(parts: Framed): ReactNode }) {
  const t = useText(conversationText)
  const conversation = useQuery({
    queryKey: ['conversation', id],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/conversations/{conversation_id}', { params: { conversation_id: id }, signal }),
  })
  if (conversation.data) return <Loaded key={id} conversation={conversation.data} frame={frame} />
  const body = conversation.isError ? (
    <ErrorPanel error={conversation.error} onRetry={() => void conversation.refetch()} />
  ) : (
    <Skeleton height={320} />
  )
  return frame({ title: t('conversation'), body })
}

function Loaded({ conversation, frame }: { conversation: Conversation; frame(parts: Framed): ReactNode }) {
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
  const actions = (
    <ConversationActions
      conversation={conversation}
      onDialog={setDialog}
      run={(work) => {
        action.current = work
        submit()
      }}
    />
  )
  const body = (
    <>
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
        sender={conversation.external_id}
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
    </>
  )
  const title = conversation.title || conversation.opening || t('untitled')
  return frame({ title, conversation, turns, hasOlder: thread.hasOlder, actions, body })
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
