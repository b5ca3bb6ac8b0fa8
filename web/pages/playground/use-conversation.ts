/** The playground's conversation as state of the page: send, cancel, regenerate, clear, store. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Conversation, type Item, newAnswer, newId, requestOf, type Setup } from './conversation.ts'
import { streamAnswer } from './stream-answer.ts'
import { storeConversation, storedConversation } from './tab-conversation.ts'

const storeEveryMs = 500

export interface ConversationState {
  conversation: Conversation
  isRunning: boolean
  /** False: it would not survive a reload. */
  isStored: boolean
  change(setup: Partial<Setup>): void
  type(draft: string): void
  send(): void
  cancel(): void
  /** Asks the last question again; its answer is replaced. */
  regenerate(): void
  clear(): void
}

/** @param who the operator and the workspace */
export function useConversation(who: string): ConversationState {
  const [conversation, setConversation] = useState<Conversation>(() => storedConversation(who))
  const running = useRef<AbortController>(undefined)
  const isStored = useStored(who, conversation)
  // Leaving the page stops the answer, at the service too.
  useEffect(() => () => running.current?.abort(), [])

  const ask = useCallback((setup: Setup, items: readonly Item[]) => {
    const controller = new AbortController()
    running.current = controller
    const answer = newAnswer(setup.model)
    setConversation((before) => ({ ...before, items: [...items, answer] }))
    void streamAnswer(answer, requestOf(setup, items), controller.signal, (now) =>
      setConversation((before) => ({
        ...before,
        items: before.items.map((item) => (item.id === now.id ? now : item)),
      })),
    )
  }, [])

  const last = conversation.items.at(-1)
  const isRunning = last?.by === 'agent' && last.state === 'running'
  return {
    conversation,
    isRunning,
    isStored,
    change: (setup) => setConversation((before) => ({ ...before, setup: { ...before.setup, ...setup } })),
    type: (draft) => setConversation((before) => ({ ...before, draft })),
    send() {
      const text = conversation.draft.trim()
      if (text === '' || isRunning) return
      setConversation((before) => ({ ...before, draft: '' }))
      ask(conversation.setup, [...conversation.items, { by: 'user', id: newId(), text }])
    },
    cancel: () => running.current?.abort(),
    regenerate() {
      if (isRunning || last === undefined) return
      ask(conversation.setup, last.by === 'agent' ? conversation.items.slice(0, -1) : conversation.items)
    },
    clear() {
      running.current?.abort()
      setConversation((before) => ({ ...before, items: [] }))
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
