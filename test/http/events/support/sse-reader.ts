/** A reader of server-sent events: what has come so far, and waiting for what is still to come. */
import { createParser } from 'eventsource-parser'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into events whose fields differ by kind
export type Fields = any

export interface Heard {
  kind: string
  id: string | undefined
  data: Fields
}

export interface SseReader {
  response: Response
  /** In the order they came. */
  readonly heard: Heard[]
  /** The bytes as text. */
  readonly text: string
  readonly isOver: boolean
  kinds(): string[]
  of(kind: string): Heard[]
  /** The pieces of the answer, in a row. */
  said(): string
  /** What a browser would send back as Last-Event-ID. */
  lastId(): string
  until(condition: () => boolean, what?: string): Promise<void>
  /** Waits for so many events of this kind. @returns the last of them */
  untilKind(kind: string, count?: number): Promise<Heard>
  leave(): void
}

/** Resolves once the service has answered; of a refusal there is only `response`. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const going = new AbortController()
  const response = await fetch(url, { headers, signal: going.signal })
  const heard: Heard[] = []
  let text = ''
  let lastId = ''
  let isOver = false
  const parser = createParser({
    onEvent({ event, id, data }) {
      if (id !== undefined) lastId = id
      heard.push({ kind: event ?? 'message', id, data: JSON.parse(data) })
    },
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream && response.body) void read(response.body).finally(() => (isOver = true))

  async function read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const bytes of body) {
        const piece = decoder.decode(bytes, { stream: true })
        text += piece
        parser.feed(piece)
      }
    } catch {
      // Cut off, or left.
    }
  }

  const of = (kind: string) => heard.filter((event) => event.kind === kind)
  const until = (condition: () => boolean, what = 'the condition') =>
    expect.poll(condition, { interval: 5, message: `${what}; heard: ${heard.map(({ kind }) => kind)}` }).toBe(true)
  return {
    response,
    heard,
    get text() {
      return text
    },
    get isOver() {
      return isOver
    },
    kinds: () => heard.map(({ kind }) => kind),
    of,
    said: () =>
      of('turn.delta')
        .map(({ data }) => data.text)
        .join(''),
    lastId: () => lastId,
    until,
    async untilKind(kind, count = 1) {
      await until(() => of(kind).length >= count, `${count} of ${kind}`)
      return of(kind)[count - 1] as Heard
    },
    leave: () => going.abort(),
  }
}
