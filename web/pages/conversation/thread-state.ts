/** The loaded messages of a conversation: the newest page first, older pages on demand, without gaps. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'

export type Message = Answer<'GET /v1/admin/conversations/messages'>['messages'][number]

export interface Thread {
  /** Oldest first. */
  messages: readonly Message[]
  isLoading: boolean
  isLoadingOlder: boolean
  hasOlder: boolean
  error: unknown
  /** Why older messages failed to load; they are retried by hand only. */
  olderError: unknown
  loadOlder(): void
  /** Loads new messages and changes of the newest page. */
  refresh(): Promise<void>
  change(id: string, changed: Partial<Message>): void
}

const pageMessages = 50
/** Pages that are loaded to close a gap; after a longer absence only the newest are kept. */
const gapPagesMax = 10

interface State {
  messages: readonly Message[]
  nextBefore: number | null
  isLoading: boolean
  isLoadingOlder: boolean
  error: unknown
  olderError: unknown
}

const initialState: State = {
  messages: [],
  nextBefore: null,
  isLoading: true,
  isLoadingOlder: false,
  error: undefined,
  olderError: undefined,
}

/** The conversation must stay the same: give the component that uses this a key. */
export function useThread(conversationId: string): Thread {
  const [state, setState] = useState<State>(initialState)
  const latest = useRef(state)
  latest.current = state
  const abort = useRef(new AbortController())
  const refreshing = useRef<Promise<void> | undefined>(undefined)
  const isRefreshRequested = useRef(false)

  const readPage = useCallback(
    (beforeSeq?: number) =>
      call('GET /v1/admin/conversations/messages', {
        query: { id: conversationId, limit: pageMessages, ...(beforeSeq !== undefined && { before_seq: beforeSeq }) },
        signal: abort.current.signal,
      }),
    [conversationId],
  )

  const readNewest = useCallback(async () => {
    try {
      const newestKnown = latest.current.messages.at(-1)?.seq ?? 0
      const first = await readPage()
      let newest = first.messages
      let nextBefore = first.next_before_seq
      for (let page = 1; page < gapPagesMax && nextBefore !== null && isGap(newestKnown, newest); page++) {
        const older = await readPage(nextBefore)
        newest = [...older.messages, ...newest]
        nextBefore = older.next_before_seq
      }
      setState((before) => ({ ...merged(before, newest, nextBefore), isLoading: false, error: undefined }))
    } catch (error) {
      if (!abort.current.signal.aborted) setState((before) => ({ ...before, isLoading: false, error }))
    }
  }, [readPage])

  /** One refresh at a time; calls during it cause one more. */
  const refresh = useCallback((): Promise<void> => {
    isRefreshRequested.current = true
    refreshing.current ??= (async () => {
      while (isRefreshRequested.current && !abort.current.signal.aborted) {
        isRefreshRequested.current = false
        await readNewest()
      }
      refreshing.current = undefined
    })()
    return refreshing.current
  }, [readNewest])

  const loadOlder = useCallback(() => {
    const { nextBefore, isLoadingOlder } = latest.current
    if (nextBefore === null || isLoadingOlder) return
    latest.current = { ...latest.current, isLoadingOlder: true }
    setState((before) => ({ ...before, isLoadingOlder: true, olderError: undefined }))
    readPage(nextBefore).then(
      (page) =>
        setState((before) => ({
          ...before,
          messages: before.nextBefore === nextBefore ? [...page.messages, ...before.messages] : before.messages,
          nextBefore: before.nextBefore === nextBefore ? page.next_before_seq : before.nextBefore,
          isLoadingOlder: false,
        })),
      (olderError: unknown) => {
        if (!abort.current.signal.aborted) setState((before) => ({ ...before, isLoadingOlder: false, olderError }))
      },
    )
  }, [readPage])

  useEffect(() => {
    if (abort.current.signal.aborted) abort.current = new AbortController()
    void refresh()
    return () => {
      abort.current.abort()
      refreshing.current = undefined
    }
  }, [refresh])

  const change = useCallback((id: string, changed: Partial<Message>) => {
    setState((before) => ({
      ...before,
      messages: before.messages.map((message) => (message.id === id ? { ...message, ...changed } : message)),
    }))
  }, [])

  const { nextBefore, ...rest } = state
  return { ...rest, hasOlder: nextBefore !== null, loadOlder, refresh, change }
}

const isGap = (newestKnown: number, fresh: readonly Message[]): boolean =>
  newestKnown > 0 && (fresh[0]?.seq ?? 0) > newestKnown + 1

function merged(before: State, fresh: readonly Message[], nextBefore: number | null): State {
  const firstNewest = fresh[0]?.seq
  if (firstNewest === undefined) return before
  const newestKnown = before.messages.at(-1)?.seq ?? 0
  if (before.messages.length === 0 || firstNewest > newestKnown + 1) return { ...before, messages: fresh, nextBefore }
  const older = before.messages.filter((message) => message.seq < firstNewest)
  return { ...before, messages: [...older, ...fresh], nextBefore: older.length > 0 ? before.nextBefore : nextBefore }
}
