/** A reader of the operators' feed that comes back after each crash with the cursor of the last event it had. */
import { createParser } from 'eventsource-parser'

export interface ReadEvent {
  cursor: string
  kind: string
  data: Record<string, unknown>
}

export interface EventReader {
  readonly events: readonly ReadEvent[]
  readonly resets: number
  /** How often it was level with the feed. */
  readonly connections: number
  stop(): void
}

export function eventReader(options: { url: () => string; key: string }): EventReader {
  const events: ReadEvent[] = []
  const halt = new AbortController()
  const counts = { resets: 0, connections: 0 }
  let cursor = ''

  async function readOnce(): Promise<void> {
    const response = await fetch(`${options.url()}/v1/events/stream`, {
      headers: { authorization: `Bearer ${options.key}`, ...(cursor && { 'last-event-id': cursor }) },
      signal: halt.signal,
    })
    if (!response.ok || !response.body) return
    const parser = createParser({
      onEvent(event) {
        cursor = event.id || cursor
        if (event.event === 'reset') counts.resets++
        // Only now it is certain where the feed of a reader without a cursor begins.
        if (event.event === 'ready') counts.connections++
        // An error ends a feed whose database went away.
        else if (event.event !== 'ready' && event.event !== 'error')
          events.push({ cursor, kind: event.event ?? '', data: JSON.parse(event.data) as Record<string, unknown> })
      },
    })
    const decoder = new TextDecoder()
    for await (const piece of response.body) parser.feed(decoder.decode(piece, { stream: true }))
  }

  async function read(): Promise<void> {
    while (!halt.signal.aborted) {
      await readOnce().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  void read()
  return {
    events,
    get resets() {
      return counts.resets
    },
    get connections() {
      return counts.connections
    },
    stop: () => halt.abort(),
  }
}
