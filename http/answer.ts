/** What a handler may return: a plain object (200, JSON), a `reply`, a `raw` body, a `rawStream`, or an `eventStream`. */
import type { StreamWriter } from './server/stream-writer.ts'
import type { SocketHandlers } from './server/web-socket.ts'

export type AnswerHeaders = Readonly<Record<string, string>>

/** Status and headers of one's own; the body is JSON, or absent. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: AnswerHeaders | undefined
  constructor(status: number, body: unknown, headers: AnswerHeaders | undefined) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** Bytes or text sent as they are. */
export class RawReply {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly headers: AnswerHeaders | undefined
  constructor(status: number, contentType: string, body: string | Uint8Array, headers: AnswerHeaders | undefined) {
    this.status = status
    this.contentType = contentType
    this.body = body
    this.headers = headers
  }
}

export class EventStreamReply {
  readonly headers: AnswerHeaders
  readonly run: (out: StreamWriter) => void | Promise<void>
  constructor(headers: AnswerHeaders, run: (out: StreamWriter) => void | Promise<void>) {
    this.headers = headers
    this.run = run
  }
}

/** Text that is made while it is sent. */
export class RawStreamReply {
  readonly contentType: string
  readonly headers: AnswerHeaders
  readonly run: (out: StreamWriter) => Promise<void>
  constructor(contentType: string, headers: AnswerHeaders, run: (out: StreamWriter) => Promise<void>) {
    this.contentType = contentType
    this.headers = headers
    this.run = run
  }
}

export class WebSocketReply {
  readonly handlers: SocketHandlers
  constructor(handlers: SocketHandlers) {
    this.handlers = handlers
  }
}

export const reply = (status: number, body?: unknown, headers?: AnswerHeaders): Reply =>
  new Reply(status, body, headers)

export const raw = (
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers?: AnswerHeaders,
): RawReply => new RawReply(status, contentType, body, headers)

/**
 * Answers with server-sent events. Status and headers leave with the first event; `run` writes and calls `out.end()`. A client that
 * goes away aborts `out.signal`. When `run` throws, the stream ends with an error event that carries the envelope.
 */
export const eventStream = (
  headers: AnswerHeaders,
  run: (out: StreamWriter) => void | Promise<void>,
): EventStreamReply => new EventStreamReply(headers, run)

/**
 * Answers 200 with text that is written piece by piece; `run` stops at a `write` that says false until `onDrain`. A client
 * that goes away aborts `out.signal`. When `run` throws, the connection is cut: half a document must not look like a whole one.
 */
export const rawStream = (
  contentType: string,
  headers: AnswerHeaders,
  run: (out: StreamWriter) => Promise<void>,
): RawStreamReply => new RawStreamReply(contentType, headers, run)

/** Answers with a WebSocket. @throws ApiError 426 later, where the client did not ask for one */
export const webSocket = (handlers: SocketHandlers): WebSocketReply => new WebSocketReply(handlers)

export type Answer = object
