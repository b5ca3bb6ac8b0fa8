/** One connection to the event feed of the workspace. It reconnects, also after a restart of the service or an ended session. */

import { reconnectDelays } from './reconnect-delays.ts'

const turnKinds = [
  'turn.started',
  'turn.completed',
  'turn.cancelled',
  'turn.interrupted',
  'turn.failed',
  'turn.waiting',
] as const

const stepKinds = ['step.waiting', 'step.started', 'step.succeeded', 'step.failed', 'step.unknown'] as const

/** docs/feeds.md has their fields. */
export const eventKinds = [
  'message.created',
  ...turnKinds,
  ...stepKinds,
  'approval.requested',
  'approval.decided',
  'delivery.pending',
  'delivery.delivered',
  'delivery.failed',
  'delivery.undeliverable',
  'delivery.cancelled',
  'settings.changed',
  'audit.added',
  'alert.fired',
  'alert.resolved',
] as const
export type EventKind = (typeof eventKinds)[number]

export interface FeedEvent {
  kind: EventKind
  cursor: string
  at: string
  conversation_id: string | null
  channel: string | null
  [field: string]: unknown
}

/** Whether events arrive; when lost, since when and when it is tried again, in milliseconds of the epoch. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'lost'; sinceMs: number; retryAtMs: number }

/** missed: some events were lost. */
export type FeedMessage =
  | { is: 'event'; event: FeedEvent }
  | { is: 'missed' }
  | { is: 'connection'; connection: Connection }

const retryMs = { least: 1_000, most: 30_000 }

export interface FeedSource {
  close(): void
}

export function feedSource(apiBase: string, publish: (message: FeedMessage) => void): FeedSource {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let cursor = ''
  let lostSinceMs: number | undefined
  const delays = reconnectDelays(retryMs)

  function open(): void {
    const stream = new EventSource(`${apiBase}/v1/events/stream${cursor === '' ? '' : `?cursor=${cursor}`}`, {
      withCredentials: true,
    })
    source = stream
    const rememberCursor = ({ lastEventId }: MessageEvent) => {
      cursor = lastEventId || cursor
    }
    for (const kind of eventKinds)
      stream.addEventListener(kind, (message) => {
        rememberCursor(message)
        publish({ is: 'event', event: JSON.parse(message.data as string) as FeedEvent })
      })
    stream.addEventListener('ready', (message) => {
      // The feed starts now: events since the page loaded its lists are lost.
      const isFirst = cursor === ''
      rememberCursor(message)
      delays.connected()
      lostSinceMs = undefined
      publish({ is: 'connection', connection: { state: 'live' } })
      if (isFirst) publish({ is: 'missed' })
    })
    stream.addEventListener('reset', (message) => {
      rememberCursor(message)
      publish({ is: 'missed' })
    })
    stream.addEventListener('error', () => {
      // The browser would retry by itself, but stops at the first answer that is no stream.
      stream.close()
      clearTimeout(timer)
      const waitMs = delays.next()
      lostSinceMs ??= Date.now()
      publish({
        is: 'connection',
        connection: { state: 'lost', sinceMs: lostSinceMs, retryAtMs: Date.now() + waitMs },
      })
      timer = setTimeout(open, waitMs)
    })
  }

  open()
  return {
    close() {
      clearTimeout(timer)
      source?.close()
    },
  }
}
