/** One connection to the feed of the workspace's events, kept up: also over restarts of the service and ended sessions. */

import { growingWaits } from './reconnect-delays.ts'

/** What becomes of a turn. */
const turnKinds = [
  'turn.started',
  'turn.completed',
  'turn.cancelled',
  'turn.interrupted',
  'turn.failed',
  'turn.waiting',
] as const

/** What becomes of a step of a turn. */
const stepKinds = ['step.waiting', 'step.started', 'step.succeeded', 'step.failed', 'step.unknown'] as const

/** What the service tells; docs/feeds.md has their fields. */
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

/** What listeners hear besides events: that some were missed. */
export type FeedMessage = { is: 'event'; event: FeedEvent } | { is: 'missed' }

const retryMs = { least: 1_000, most: 30_000 }

export interface FeedSource {
  close(): void
}

export function feedSource(apiBase: string, tell: (message: FeedMessage) => void): FeedSource {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let cursor = ''
  const waits = growingWaits(retryMs)

  function open(): void {
    const opened = new EventSource(`${apiBase}/v1/events/stream${cursor === '' ? '' : `?cursor=${cursor}`}`, {
      withCredentials: true,
    })
    source = opened
    const heard = ({ lastEventId }: MessageEvent) => {
      cursor = lastEventId || cursor
    }
    for (const kind of eventKinds)
      opened.addEventListener(kind, (message) => {
        heard(message)
        tell({ is: 'event', event: JSON.parse(message.data as string) as FeedEvent })
      })
    opened.addEventListener('ready', (message) => {
      // It begins now: what has happened since a page asked for its lists was told to nobody.
      const isFirst = cursor === ''
      heard(message)
      waits.holds()
      if (isFirst) tell({ is: 'missed' })
    })
    opened.addEventListener('reset', (message) => {
      heard(message)
      tell({ is: 'missed' })
    })
    opened.addEventListener('error', () => {
      // Also while the browser would try by itself: it gives up for good at the first answer that is no stream.
      opened.close()
      clearTimeout(timer)
      timer = setTimeout(open, waits.next())
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
