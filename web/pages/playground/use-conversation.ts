/** The conversation of the playground as a page uses it: said, answered, cancelled, tried again, begun anew, kept. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { keepTalk, keptTalk } from './tab-conversation.ts'
import { streamAnswer } from './stream-answer.ts'
import { type Item, newAnswer, newId, requestOf, type Setup, type Talk } from './conversation.ts'

const keepEveryMs = 500

export interface TalkInHand {
  talk: Talk
  isRunning: boolean
  /** False: it would not survive a reload. */
  isKept: boolean
  change(setup: Partial<Setup>): void
  type(draft: string): void
  send(): void
  cancel(): void
  /** The last question is asked anew; its answer makes way. */
  again(): void
  clear(): void
}

/** @param who the operator and the workspace */
export function useTalk(who: string): TalkInHand {
  const [talk, setTalk] = useState<Talk>(() => keptTalk(who))
  const running = useRef<AbortController>(undefined)
  const isKept = useKept(who, talk)
  // Whoever leaves the page does not wait for the answer any more: the service is told to stop.
  useEffect(() => () => running.current?.abort(), [])

  const ask = useCallback((setup: Setup, items: readonly Item[]) => {
    const controller = new AbortController()
    running.current = controller
    const answer = newAnswer(setup.model)
    setTalk((before) => ({ ...before, items: [...items, answer] }))
    void streamAnswer(answer, requestOf(setup, items), controller.signal, (now) =>
      setTalk((before) => ({ ...before, items: before.items.map((item) => (item.id === now.id ? now : item)) })),
    )
  }, [])

  const last = talk.items.at(-1)
  const isRunning = last?.by === 'agent' && last.state === 'running'
  return {
    ...{ talk, isRunning, isKept },
    change: (setup) => setTalk((before) => ({ ...before, setup: { ...before.setup, ...setup } })),
    type: (draft) => setTalk((before) => ({ ...before, draft })),
    send() {
      const text = talk.draft.trim()
      if (text === '' || isRunning) return
      setTalk((before) => ({ ...before, draft: '' }))
      ask(talk.setup, [...talk.items, { by: 'user', id: newId(), text }])
    },
    cancel: () => running.current?.abort(),
    again() {
      if (isRunning || last === undefined) return
      ask(talk.setup, last.by === 'agent' ? talk.items.slice(0, -1) : talk.items)
    },
    clear() {
      running.current?.abort()
      setTalk((before) => ({ ...before, items: [] }))
    },
  }
}

function useKept(who: string, talk: Talk): boolean {
  const [isKept, setKept] = useState(true)
  const latest = useRef(talk)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (latest.current === talk) return
    latest.current = talk
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setKept(keepTalk(who, latest.current))
    }, keepEveryMs)
  }, [who, talk])
  useEffect(() => {
    const keepNow = () => {
      if (timer.current === undefined) return
      clearTimeout(timer.current)
      timer.current = undefined
      keepTalk(who, latest.current)
    }
    addEventListener('pagehide', keepNow)
    return () => {
      removeEventListener('pagehide', keepNow)
      keepNow()
    }
  }, [who])
  return isKept
}
