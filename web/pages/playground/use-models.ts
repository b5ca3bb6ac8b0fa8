/** The selectable agents and models; the first is chosen if none is yet. */
import { useEffect } from 'react'
import { useModelList } from '../../parts/model-list.ts'
import type { ConversationState } from './use-conversation.ts'

export function useModels({ conversation, change }: ConversationState) {
  const models = useModelList()
  const { data } = models
  const isChosen = conversation.setup.model !== ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: once after loading: an emptied field is for typing another name
  useEffect(() => {
    if (isChosen || !data) return
    const agents = data.filter(({ owned_by }) => owned_by === 'agent')
    const first = agents.find(({ id }) => id === 'default') ?? agents[0] ?? data[0]
    if (first) change({ model: first.id })
  }, [data])
  return models
}
