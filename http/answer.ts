/** What a handler may return: a plain object (200, JSON), a `reply`, a `raw` body, a `file`, a `rawStream`, an `eventStream` or a `webSocket`. */
import type { StreamWriter } from './server/stream-writer.ts'
import type { SocketHandlers } from './server/web-socket.ts'

/** Names the kind of a reply. A symbol, since a plain object is JSON and may have fields of any name. */
export const kind: unique symbol = Symbol('kind')

export type AnswerHeaders = Readonly<Record<string, string>>

/** A status and headers that the handler chose; the body is JSON, or absent. */
export interface JsonReply {
  readonly [kind]: 'json'
  readonly status: number
  readonly body: unknown
  readonly headers: AnswerHeaders | undefined
}

/** Bytes or text sent as they are. */
export interface RawReply {
  readonly [kind]: 'raw'
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly headers: AnswerHeaders | undefined
}

export interface EventStreamReply {
  readonly [kind]: 'event-stream'
  readonly headers: AnswerHeaders
  readonly run: (out: StreamWriter) => void | Promise<void>
}

/** Text that is made while it is sent. */
export interface RawStreamReply {
  readonly [kind]: 'raw-stream'
  readonly contentType: string
  readonly headers: AnswerHeaders
  readonly run: (out: StreamWriter) => Promise<void>
}

export interface WebSocketReply {
  readonly [kind]: 'web-socket'
  readonly handlers: SocketHandlers
}

/** Bytes of a known length that are read while they are sent. */
export interface FileReply {
  readonly [kind]: 'file'
  readonly status: 200 | 206
  readonly contentType: string
  readonly bytes: number
  readonly headers: AnswerHeaders
  readonly pieces: () => AsyncIterable<Uint8Array>
}

export type Reply = JsonReply | RawReply | FileReply | EventStreamReply | RawStreamReply | WebSocketReply

/** A reply, or a plain object. */
export type Answer = object

/** Undefined for anything but a reply: a plain object, or a mistake of the handler. */
export function replyOf(answer: unknown): Reply | undefined {
  return typeof answer === 'object' && answer !== null && kind in answer ? (answer as Reply) : undefined
}

export const reply = (status: number, body?: unknown, headers?: AnswerHeaders): JsonReply => ({
  [kind]: 'json',
  status,
  body,
  headers,
})

export const raw = (
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers?: AnswerHeaders,
): RawReply => ({ [kind]: 'raw', status, contentType, body, headers })

/**
 * Answers with bytes of a known length, read piece by piece as fast as the client takes them. Where fewer come, or reading
 * them fails, the connection is closed, so that the client sees that they are incomplete.
 */
export const file = (content: Omit<FileReply, typeof kind>): FileReply => ({ [kind]: 'file', ...content })

/**
 * Answers with server-sent events. Status and headers are sent with the first event; `run` writes and calls `out.end()`.
 * When the client disconnects, `out.signal` is aborted. When `run` throws, the stream ends with an error event.
 */
export const eventStream = (headers: AnswerHeaders, run: EventStreamReply['run']): EventStreamReply => ({
  [kind]: 'event-stream',
  headers,
  run,
})

/**
 * Answers 200 with text that is written piece by piece. After a `write` that returns false, `run` waits for `onDrain`. When
 * the client disconnects, `out.signal` is aborted. When `run` throws, the connection is closed, so that the client sees
 * that the document is incomplete.
 */
export const rawStream = (contentType: string, headers: AnswerHeaders, run: RawStreamReply['run']): RawStreamReply => ({
  [kind]: 'raw-stream',
  contentType,
  headers,
  run,
})

/** Answers with a WebSocket; a client that did not ask for one gets 426. */
export const webSocket = (handlers: SocketHandlers): WebSocketReply => ({ [kind]: 'web-socket', handlers })
