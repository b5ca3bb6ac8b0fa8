/** The playground's conversation as state of the page: send, cancel, regenerate, compare, clear, store. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { missingModel, recordOf } from './answer-record.ts'
import {
  type AnswerItem,
  type Conversation,
  type Item,
  isRunningIn,
  itemsOf,
  newAnswer,
  newId,
  requestOf,
  type Setup,
  type SideName,
  setupOf,
  sidesOf,
  withItems,
} from './conversation.ts'
import { streamAnswer } from './stream-answer.ts'
import { storeConversation, storedConversation } from './tab-conversation.ts'

const storeEveryMs = 500

export interface ConversationState {
  conversation: Conversation
  /** An answer of any side arrives. */
  isRunning: boolean
  /** False: it would not survive a reload. */
  isStored: boolean
  change(setup: Partial<Setup>): void
  type(draft: string): void
  /** Begins a comparison with it, or changes with what is compared; null: ends it. */
  compare(model: string | null): void
  /** To all sides. */
  send(): void
  cancel(): void
  /** Asks a side its last question again; the answer is replaced. */
  regenerate(side: SideName): void
  clear(): void
}

/** Up to the last question, which is then to be answered. */
function withoutLastAnswer(items: readonly Item[]): Item[] {
  return items.at(-1)?.by === 'agent' ? items.slice(0, -1) : [...items]
}

/** @param who the operator and the workspace */
export function useConversation(who: string): ConversationState {
  const { may } = useSession()
  const mayReadTurns = may('conversations.read')
  const mayReadAgents = may('agents.read')
  const [conversation, setConversation] = useState<Conversation>(() => storedConversation(who))
  const running = useRef(new Map<SideName, AbortController>())
  const isStored = useStored(who, conversation)
  const cancel = useCallback(() => {
    for (const controller of running.current.values()) controller.abort()
  }, [])
  // Leaving the page stops the answers, at the service too.
  useEffect(() => cancel, [cancel])

  const ask = useCallback(
    (side: SideName, setup: Setup, items: readonly Item[]) => {
      const controller = new AbortController()
      running.current.set(side, controller)
      const answer = newAnswer(setup.model)
      setConversation((before) => withItems(before, side, [...items, answer]))
      const change = (id: string, to: Partial<AnswerItem>) =>
        setConversation((before) =>
          withItems(
            before,
            side,
            itemsOf(before, side).map((item) => (item.id === id ? ({ ...item, ...to } as Item) : item)),
          ),
        )
      void streamAnswer(answer, requestOf(setup, items), controller.signal, (now) => change(now.id, now)).then(
        async (ended) => {
          if (ended.state === 'failed') return
          const missing = await missingModel(ended.model, mayReadAgents)
          if (missing !== null) change(ended.id, { missing })
          const record = mayReadTurns ? await recordOf(ended) : null
          if (record) change(ended.id, record)
        },
      )
    },
    [mayReadTurns, mayReadAgents],
  )

  const sides = sidesOf(conversation)
  const isRunning = sides.some((side) => isRunningIn(itemsOf(conversation, side)))
  return {
    conversation,
    isRunning,
    isStored,
    change: (setup) => setConversation((before) => ({ ...before, setup: { ...before.setup, ...setup } })),
    type: (draft) => setConversation((before) => ({ ...before, draft })),
    compare(model) {
      if (model === null) running.current.get('second')?.abort()
      setConversation((before) => ({
        ...before,
        second: model === null ? null : { model, items: before.second?.items ?? withoutLastAnswer(before.items) },
      }))
    },
    send() {
      const text = conversation.draft.trim()
      if (text === '' || isRunning) return
      setConversation((before) => ({ ...before, draft: '' }))
      for (const side of sides)
        ask(side, setupOf(conversation, side), [...itemsOf(conversation, side), { by: 'user', id: newId(), text }])
    },
    cancel,
    regenerate(side) {
      const items = itemsOf(conversation, side)
      if (items.length > 0 && !isRunningIn(items)) ask(side, setupOf(conversation, side), withoutLastAnswer(items))
    },
    clear() {
      cancel()
      setConversation((before) => ({ ...before, items: [], second: before.second && { ...before.second, items: [] } }))
    },
  }
}

function useStored(who: string, conversation: Conversation): boolean {
  const [isStored, setIsStored] = useState(true)
  const latest = useRef(conversation)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (latest.current === conversation) return
    latest.current = conversation
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setIsStored(storeConversation(who, latest.current))
    }, storeEveryMs)
  }, [who, conversation])
  useEffect(() => {
    const storeNow = () => {
      if (timer.current === undefined) return
      clearTimeout(timer.current)
      timer.current = undefined
      storeConversation(who, latest.current)
    }
    addEventListener('pagehide', storeNow)
    return () => {
      removeEventListener('pagehide', storeNow)
      storeNow()
    }
  }, [who])
  return isStored
}
