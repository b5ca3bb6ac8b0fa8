/**
 * One request and its answer, and the only holder of the library's response object. Using that after an abort or an answer
 * ends the process, so it is dropped here at the first of either, and everything later does nothing.
 */
import type { HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import type { Deadline, Deadlines } from '../../runtime/actor/deadlines.ts'
import { Failure } from '../../runtime/failure.ts'
import type { ErrorFace } from '../error-face.ts'
import { attachBody, BodyCollector, type BodyReader, type BodyRoom, type BodySink } from './body.ts'
import { BodyStream } from './body-stream.ts'
import { checkHeader } from './header-safety.ts'
import type { RequestHead } from './request-head.ts'
import { SizedWriter } from './sized-writer.ts'
import { statusLine } from './status-line.ts'
import { type StreamHooks, type StreamWriter, UwsStreamWriter } from './stream-writer.ts'
import { UnreadBody } from './unread-body.ts'
import { type SocketData, type SocketHandlers, type UpgradeOffer, UwsSocket } from './web-socket.ts'

export type AnswerBody = string | Uint8Array

/** How an exchange went, for the access log, metrics and traces. */
export type Outcome = 'answered' | 'aborted' | 'cut_off' | 'closed'

/** Reads headers that only some routes need; usable only while the request callback runs. */
export interface HeaderReader {
  getHeader(lowerCaseName: string): string
}

/**
 * Answers the requests of a server; one object for all of them, so that no request costs a closure. Nothing but
 * `request` comes first, and nothing after `finished`.
 * @typeParam Note the handler's state of a request between its steps
 */
export interface RequestHandler<Note = unknown> {
  request(exchange: Exchange<Note>, more: HeaderReader): void
  /** An unexpected throw: answer 500 where still possible. Must not throw itself. */
  broke(exchange: Exchange<Note>, error: unknown): void
  expired(exchange: Exchange<Note>): void
  /** The client's address, from the socket's peer and the headers of proxies. */
  clientIp(remoteAddress: string, forwardedFor: string): string
  finished(exchange: Exchange<Note>, outcome: Outcome): void
  /** A handler of a WebSocket threw; the socket is closed. */
  socketBroke(error: unknown): void
}

/** What all exchanges of one server share. */
export interface ExchangeServer<Note = unknown> {
  readonly handler: RequestHandler<Note>
  readonly bodies: BodyRoom
  readonly streamBytesMax: number
  readonly deadlines: Deadlines
  /** While the server drains, every answer also closes its connection. */
  readonly isDraining: boolean
  /** Called once for each exchange, at its end. */
  exchangeEnded(): void
}

class ClientGone extends Failure {
  readonly code = 'client_gone'
  constructor() {
    super('the client closed the connection before the answer was complete')
  }
}

const noBody = new Set([204, 304])

export class Exchange<Note = unknown> implements Deadline {
  readonly head: RequestHead
  requestId = ''
  /** State of the handler between its steps. */
  note: Note | undefined
  next: Deadline | undefined
  previous: Deadline | undefined
  status = 0
  /** When it began, on the server's clock; 0 when its duration is not measured. */
  startedMs = 0
  readonly #server: ExchangeServer<Note>
  #response: HttpResponse | undefined
  #headers: string[] = []
  #headersKept = 0
  /** How its failures look; undefined: as the envelope. */
  errorFace: ErrorFace | undefined
  #body: BodySink | undefined
  #stream: UwsStreamWriter | SizedWriter | undefined
  #aborter: AbortController | undefined
  #isAborted = false
  readonly #offer: UpgradeOffer | undefined
  #remoteAddress: string | undefined
  #clientIp: string | undefined

  /** @param offer present when the client asks for a WebSocket */
  constructor(response: HttpResponse, head: RequestHead, server: ExchangeServer<Note>, offer?: UpgradeOffer) {
    this.#response = response
    this.head = head
    this.#server = server
    this.#offer = offer
    response.onAborted(() => this.#onAborted())
  }

  /** False once it was answered, aborted or closed. */
  get isOpen(): boolean {
    return this.#response !== undefined && this.#stream === undefined
  }

  /** Whether a stream was begun: the status is sent, and only its pieces can follow. */
  get isStreaming(): boolean {
    return this.#stream !== undefined
  }

  /** The address of the socket's peer; empty when the socket was gone at the first read. */
  get remoteAddress(): string {
    if (this.#remoteAddress === undefined) {
      this.#remoteAddress = this.#response
        ? Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1')
        : ''
    }
    return this.#remoteAddress
  }

  /** The client's address, past trusted proxies. Computed at the first read, because it costs microseconds. */
  get clientIp(): string {
    this.#clientIp ??= this.#server.handler.clientIp(this.remoteAddress, this.head.forwardedFor)
    return this.#clientIp
  }

  /** Created at the first read: most requests never need one. */
  get signal(): AbortSignal {
    if (!this.#aborter) {
      this.#aborter = new AbortController()
      if (this.#isAborted) this.#aborter.abort(new ClientGone())
    }
    return this.#aborter.signal
  }

  /** Adds a header to whatever answer follows. @throws HeaderRefused for line breaks and other control characters */
  header(name: string, value: string): void {
    checkHeader(name, value)
    this.#headers.push(name, value)
  }

  /** As `header`, without the check: for our own constants and numbers. */
  trustedHeader(name: string, value: string): void {
    this.#headers.push(name, value)
  }

  /** As `trustedHeader`, in place of an earlier header of that name. */
  replaceHeader(name: string, value: string): void {
    for (let index = 0; index < this.#headers.length; index += 2) {
      if (this.#headers[index] === name) {
        this.#headers[index + 1] = value
        return
      }
    }
    this.#headers.push(name, value)
  }

  /** Headers added after this belong to the handler's answer; `dropHeaders` removes them when that answer fails. */
  keepHeaders(): void {
    this.#headersKept = this.#headers.length
  }

  dropHeaders(): void {
    if (this.#headersKept > 0) this.#headers.length = this.#headersKept
  }

  /** Must be called before the library's handler returns, or the body is lost. */
  readBody(bytesMax: number, reader: BodyReader): void {
    const response = this.#response
    if (!response) return
    this.#attach(response, new BodyCollector(this.#server.bodies, bytesMax, reader))
  }

  /** As `readBody`, for whoever reads it while it comes; its length was declared. Undefined when the client is gone. */
  streamBody(reader: Omit<BodyReader, 'body'> & { bodyEnded(): void }): BodyStream | undefined {
    const response = this.#response
    if (!response) return undefined
    const throttle = { pause: () => this.#response?.pause(), resume: () => this.#response?.resume() }
    const stream = new BodyStream({ room: this.#server.bodies, reader, throttle })
    this.#attach(response, stream)
    return stream
  }

  /** Calls `answer`, which refuses the request, when the client has sent its body or waits. Must be called as `readBody`. */
  afterBody(answer: () => void): void {
    const response = this.#response
    if (!response) return
    const isRead = this.#body !== undefined
    this.#body?.release()
    const body = new UnreadBody(() => {
      try {
        answer()
      } catch (error) {
        this.#server.handler.broke(this, error)
      }
    })
    if (isRead) this.#body = body
    else this.#attach(response, body)
  }

  #attach(response: HttpResponse, body: BodySink): void {
    this.#body = body
    attachBody(
      response,
      // Not always `body`: one that is refused while it comes is dropped by another.
      (piece, isLast) => this.#body?.chunk(piece, isLast),
      (error) => this.#server.handler.broke(this, error),
    )
  }

  /** Who sends the body has become known while it comes. */
  bodySenderKnown(): void {
    this.#body?.senderKnown()
  }

  /** Frees the bytes of a body that will not be read to its end. */
  dropBody(): void {
    this.#body?.release()
  }

  /** Whether the server is draining: it takes no new work, and every answer closes its connection. */
  get isServerDraining(): boolean {
    return this.#server.isDraining
  }

  /** Calls `expired` of the handler at most a quarter of a second after `delayMs`, unless it was answered before. */
  expireAfter(delayMs: number): void {
    this.#server.deadlines.add(this, delayMs)
  }

  /** The whole answer in one packet. A second answer, or one to a client that is gone, does nothing. @returns whether it was sent */
  answer(status: number, contentType: string | undefined, body: AnswerBody | undefined, closes = false): boolean {
    const response = this.#response
    if (!response || this.#stream) return false
    this.#response = undefined
    this.status = status
    const isLast = closes || this.#server.isDraining || this.#body?.isUnfinished === true
    response.cork(() => {
      this.#writeHead(response, status)
      if (contentType !== undefined) response.writeHeader('content-type', contentType)
      if (noBody.has(status)) this.#endBare(response, undefined, isLast)
      else if (this.head.method === 'HEAD') this.#endBare(response, lengthOf(body), isLast)
      else response.end(body ?? '', isLast)
    })
    this.#finish('answered')
    return true
  }

  /** Turns the answer into a stream, of events unless told otherwise, whose status and headers leave with its first text. Undefined when the client is gone or was answered. */
  openStream(contentType = 'text/event-stream; charset=utf-8'): StreamWriter | undefined {
    const response = this.#response
    if (!response || this.#stream) return undefined
    if (this.head.method === 'HEAD') {
      this.answer(200, contentType, undefined)
      return undefined
    }
    const stream = new UwsStreamWriter(
      response,
      { bytesMax: this.#server.streamBytesMax },
      this.#streamHooks(response, 200, contentType),
    )
    this.#stream = stream
    return stream
  }

  /** As `openStream`, of a length that is known; at least one byte. Undefined also where the client asked for the head alone. */
  openSized(status: number, contentType: string, bytes: number): SizedWriter | undefined {
    const response = this.#response
    if (!response || this.#stream) return undefined
    if (this.head.method === 'HEAD') {
      this.#answerHead(response, { status, contentType, bytes })
      return undefined
    }
    const stream = new SizedWriter(response, bytes, this.#streamHooks(response, status, contentType))
    this.#stream = stream
    return stream
  }

  #answerHead(response: HttpResponse, head: { status: number; contentType: string; bytes: number }): void {
    this.#response = undefined
    this.status = head.status
    response.cork(() => {
      this.#writeHead(response, head.status)
      response.writeHeader('content-type', head.contentType)
      this.#endBare(response, head.bytes, this.#server.isDraining)
    })
    this.#finish('answered')
  }

  #streamHooks(response: HttpResponse, status: number, contentType: string): StreamHooks {
    this.status = status
    this.#server.deadlines.remove(this)
    return {
      begin: () => {
        this.#writeHead(response, status)
        response.writeHeader('content-type', contentType)
      },
      signal: () => this.signal,
      finished: (isCut) => this.#streamFinished(isCut),
    }
  }

  /** Whether `upgrade` can answer. */
  get isUpgradable(): boolean {
    return this.#offer !== undefined
  }

  /** The answer is a WebSocket. Does nothing where the client is gone or was answered. */
  upgrade(handlers: SocketHandlers): void {
    const response = this.#response
    const offer = this.#offer
    if (!response || !offer || this.#stream) return
    this.#response = undefined
    this.status = 101
    const data: SocketData = { handlers, connection: new UwsSocket() }
    // Not corked: when an upgrade within a cork is not done at once, the library may close the socket behind it.
    response.upgrade(data, offer.key, offer.protocol, offer.extensions, offer.context as us_socket_context_t)
    this.#finish('answered')
  }

  /** Ends a stream that cannot be finished by closing its connection, so that the client sees that it is incomplete. */
  cutStream(): void {
    this.#stream?.cut()
  }

  /** Closes the connection without an answer: for requests that must not be answered. */
  close(): void {
    const response = this.#response
    if (!response) return
    this.#response = undefined
    this.#isAborted = true
    response.close()
    this.#finish('closed')
  }

  expire(): void {
    this.#server.handler.expired(this)
  }

  /** Whether the client is gone, or the work was cancelled. */
  get isCancelled(): boolean {
    return this.#isAborted || this.#aborter?.signal.aborted === true
  }

  /** The signal's reason, once there is one. */
  get cancelledBecause(): unknown {
    return this.#aborter?.signal.reason
  }

  /** Aborts the work of a request that was answered without it, as with 504. */
  cancel(reason: Error): void {
    if (!this.#isAborted) this.#aborter?.abort(reason)
  }

  /**
   * Ends an answer that has no body. The library's length argument is not used: with a length above zero this build never
   * counts the answer as done, and `undefined` becomes a Content-Length of 2^63; either breaks the next request of the
   * connection. Without that argument we cannot close the connection here, so a header asks the client to.
   */
  #endBare(response: HttpResponse, bodyBytes: number | undefined, isLast: boolean): void {
    if (bodyBytes !== undefined) response.writeHeader('content-length', String(bodyBytes))
    if (isLast) response.writeHeader('connection', 'close')
    response.endWithoutBody()
  }

  #writeHead(response: HttpResponse, status: number): void {
    response.writeStatus(statusLine(status))
    const headers = this.#headers
    for (let index = 0; index < headers.length; index += 2) {
      response.writeHeader(headers[index] ?? '', headers[index + 1] ?? '')
    }
  }

  #streamFinished(isCut: boolean): void {
    const wasOpen = this.#response !== undefined
    this.#response = undefined
    if (isCut) this.#abort()
    if (wasOpen) this.#finish(isCut ? 'cut_off' : this.#isAborted ? 'aborted' : 'answered')
  }

  #onAborted(): void {
    try {
      if (!this.#response) return
      this.#isAborted = true
      if (this.#stream) {
        this.#stream.aborted()
      } else {
        this.#response = undefined
        this.#finish('aborted')
      }
      this.#abort()
    } catch (error) {
      this.#server.handler.broke(this, error)
    }
  }

  #abort(): void {
    this.#isAborted = true
    this.#aborter?.abort(new ClientGone())
  }

  #finish(outcome: Outcome): void {
    this.#body?.release()
    this.#server.deadlines.remove(this)
    this.#server.exchangeEnded()
    this.#server.handler.finished(this, outcome)
  }
}

function lengthOf(body: AnswerBody | undefined): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}
