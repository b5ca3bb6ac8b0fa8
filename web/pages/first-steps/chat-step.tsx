/** The first chat: the chat of the playground, with the built-in agent. */

import { Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useText } from '../../text/text.ts'
import { Chat } from '../playground/chat.tsx'
import { ModelField } from '../playground/setup-fields.tsx'
import { useConversation } from '../playground/use-conversation.ts'
import { useModels } from '../playground/use-models.ts'
import { type Progress, progressKey } from './progress.ts'
import { stepsText } from './text.ts'

const refetchMs = 1_000
/** A turn that is not recorded by then is not one of a moment later. */
const refetchesMax = 20

export function ChatStep({ progress }: { progress: Progress }) {
  const t = useText(stepsText)
  const { session } = useSession()
  const state = useConversation(`first-steps ${session.operator.login} ${session.workspace_id}`)
  const models = useModels(state)
  const hasAnswer = state.conversation.items.some((item) => item.by === 'agent' && item.state === 'done')
  const isRecorded = progress.isDone.chat
  const queries = useQueryClient()
  // The turn of a chat is recorded a moment after its answer, and is no event.
  useEffect(() => {
    if (!hasAnswer || isRecorded) return
    let refetches = 0
    const timer = setInterval(() => {
      if (++refetches === refetchesMax) clearInterval(timer)
      void queries.invalidateQueries({ queryKey: progressKey })
    }, refetchMs)
    return () => clearInterval(timer)
  }, [hasAnswer, isRecorded, queries])
  return (
    <Stack>
      <Text>{t('chatWhy')}</Text>
      {!progress.isDone.model && <Banner tone="warn">{t('chatDemo')}</Banner>}
      {models.isError && <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />}
      <ModelField setup={state.conversation.setup} models={models.data ?? []} change={state.change} />
      <Chat state={state} empty={t('chatEmpty')} />
      <div role="status">{hasAnswer && <Banner tone="ok">{t('chatDone')}</Banner>}</div>
    </Stack>
  )
}
