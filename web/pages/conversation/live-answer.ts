/** What the running turn of a conversation has said so far, as it says it, while the page is looked at. */
import { useEffect, useRef, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { reconnectDelays } from '../../api/reconnect-delays.ts'

export interface LiveAnswer {
  turnId: string
  text: string
  /** Said to its end; it stands here until the stored message takes its place. */
  isWhole: boolean
}

const retryMs = { least: 1_000, most: 15_000 }
const losses = ['turn.failed', 'turn.cancelled', 'turn.interrupted'] as const

export interface Listening {
  live: LiveAnswer | undefined
  /** The service cannot be heard at the moment: what is shown may be behind. */
  isLost: boolean
}

/**
 * @param isWanted false: this role may not listen
 * @param onChange what is stored has changed, or may have while nobody listened
 */
export function useLiveAnswer(conversationId: string, isWanted: boolean, onChange: () => void): Listening {
  const [live, setLive] = useState<LiveAnswer>()
  const [isLost, setLost] = useState(false)
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    if (!isWanted) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const delays = reconnectDelays(retryMs)
    /** How far was heard, also within an answer: what is said while nobody listens comes afterwards. */
    let cursor = ''
    let wasLost = false

    function listen(): void {
      clearTimeout(timer)
      if (source || document.hidden) return
      const query = { conversation_id: conversationId, cursor }
      const eventSource = new EventSource(urlOf('/v1/web/stream', { query }), { withCredentials: true })
      source = eventSource
      const rememberCursor = ({ lastEventId }: MessageEvent) => {
        cursor = lastEventId || cursor
      }
      eventSource.addEventListener('ready', (event) => {
        rememberCursor(event)
        if (wasLost) changed.current()
        wasLost = false
        setLost(false)
        delays.connected()
      })
      // Too much was missed: what the answer said until then cannot be put together with what it says now.
      eventSource.addEventListener('reset', (event) => {
        rememberCursor(event)
        setLive(undefined)
      })
      const on = (kind: string, hear: (data: { turn_id: string; offset: number; text: string }) => void) =>
        eventSource.addEventListener(kind, (event) => {
          rememberCursor(event)
          hear(JSON.parse(event.data as string))
        })
      on('turn.started', ({ turn_id: turnId }) => setLive({ turnId, text: '', isWhole: false }))
      on('turn.delta', ({ turn_id: turnId, offset, text }) =>
        setLive((before) => ({
          turnId,
          text: `${before?.turnId === turnId ? before.text.slice(0, offset) : ''}${text}`,
          isWhole: false,
        })),
      )
      on('turn.completed', ({ turn_id }) => {
        setLive((before) =>
          before?.turnId === turn_id && before.text !== '' ? { ...before, isWhole: true } : undefined,
        )
        changed.current()
      })
      for (const kind of losses)
        on(kind, ({ turn_id }) => {
          setLive((before) => (before?.turnId === turn_id ? undefined : before))
          changed.current()
        })
      eventSource.addEventListener('error', () => {
        disconnect()
        wasLost = true
        setLost(true)
        timer = setTimeout(listen, delays.next())
      })
    }
    function disconnect(): void {
      source?.close()
      source = undefined
    }
    /** A browser has few connections to one server: a tab that nobody looks at keeps none. */
    function visibilityChanged(): void {
      if (document.hidden) disconnect()
      else listen()
    }

    listen()
    document.addEventListener('visibilitychange', visibilityChanged)
    return () => {
      document.removeEventListener('visibilitychange', visibilityChanged)
      clearTimeout(timer)
      disconnect()
    }
  }, [conversationId, isWanted])
  return { live, isLost }
}
