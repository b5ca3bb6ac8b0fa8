/** The text of the running turn of a conversation as it streams, while the page is visible. */
import { useEffect, useRef, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { reconnectDelays } from '../../api/reconnect-delays.ts'

export interface LiveAnswer {
  turnId: string
  text: string
  /** The turn has completed; the text stays until the stored message replaces it. */
  isWhole: boolean
}

const retryMs = { least: 1_000, most: 15_000 }
const endKinds = ['turn.failed', 'turn.cancelled', 'turn.interrupted'] as const

export interface LiveState {
  live: LiveAnswer | undefined
  /** The connection is lost at the moment: the text may be out of date. */
  isLost: boolean
}

/**
 * @param isEnabled false: the role lacks the permission
 * @param onChange stored messages have changed, or may have changed while disconnected
 */
export function useLiveAnswer(conversationId: string, isEnabled: boolean, onChange: () => void): LiveState {
  const [live, setLive] = useState<LiveAnswer>()
  const [isLost, setLost] = useState(false)
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    if (!isEnabled) return
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const delays = reconnectDelays(retryMs)
    /** The last event received, also within an answer, so that a reconnect continues there. */
    let cursor = ''
    let wasLost = false

    function connect(): void {
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
      // Too much was missed: the text so far cannot be joined with what follows.
      eventSource.addEventListener('reset', (event) => {
        rememberCursor(event)
        setLive(undefined)
      })
      const on = (kind: string, handle: (data: { turn_id: string; offset: number; text: string }) => void) =>
        eventSource.addEventListener(kind, (event) => {
          rememberCursor(event)
          handle(JSON.parse(event.data as string))
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
      for (const kind of endKinds)
        on(kind, ({ turn_id }) => {
          setLive((before) => (before?.turnId === turn_id ? undefined : before))
          changed.current()
        })
      eventSource.addEventListener('error', () => {
        disconnect()
        wasLost = true
        setLost(true)
        timer = setTimeout(connect, delays.next())
      })
    }
    function disconnect(): void {
      source?.close()
      source = undefined
    }
    /** Browsers allow few connections per host: a hidden tab keeps none. */
    function visibilityChanged(): void {
      if (document.hidden) disconnect()
      else connect()
    }

    connect()
    document.addEventListener('visibilitychange', visibilityChanged)
    return () => {
      document.removeEventListener('visibilitychange', visibilityChanged)
      clearTimeout(timer)
      disconnect()
    }
  }, [conversationId, isEnabled])
  return { live, isLost }
}
