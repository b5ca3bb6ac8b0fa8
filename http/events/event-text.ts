/** Events on the wire: the same object in a server-sent event and in a WebSocket frame. */
import { cursorOf } from '../../store/events/cursor.ts'
import type { StoredEvent } from '../../store/events/events.ts'

/** @param place appended to the cursor */
export function eventObject(feed: string, event: StoredEvent, place = ''): Record<string, unknown> {
  return {
    kind: event.kind,
    cursor: cursorOf(feed, event.position) + place,
    at: event.at.toISOString(),
    conversation_id: event.conversationId,
    channel: event.channel,
    ...event.data,
  }
}

/** @param id the reader sends it back to resume after this event */
export function sse(kind: string, id: string | undefined, data: object): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}
