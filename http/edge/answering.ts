/** Turns a handler's result or error into an answer, and an unexpected error into a logged defect. */
import { randomBytes } from 'node:crypto'
import { Failure } from '../../runtime/failure.ts'
import type { Log } from '../../runtime/log/log.ts'
import { type EventStreamReply, type FileReply, kind, type RawStreamReply, replyOf } from '../answer.ts'
import { ApiError, type ErrorEnvelope, envelopeOf, errorEnvelope, knownError } from '../error.ts'
import type { Exchange } from '../server/exchange.ts'
import { checkHeader } from '../server/header-safety.ts'
import type { SizedWriter } from '../server/sized-writer.ts'
import type { StreamWriter } from '../server/stream-writer.ts'

const jsonType = 'application/json; charset=utf-8'

export interface AnsweringCounts {
  /** Answers 500 with an `SVC-` code: each is a bug. */
  defects: number
  /** Results that came after the end of their exchange: the client had an answer, or was gone. */
  late: number
}

export interface Answering {
  result(exchange: Exchange, result: unknown): void
  /** @param closes whether the connection ends with this answer */
  failure(exchange: Exchange, error: unknown, closes?: boolean): void
  readonly counts: Readonly<AnsweringCounts>
}

export function answering(log: Log): Answering {
  const counts: AnsweringCounts = { defects: 0, late: 0 }

  function result(exchange: Exchange, answer: unknown): void {
    if (!exchange.isOpen) {
      counts.late++
      return
    }
    try {
      send(exchange, answer)
    } catch (error) {
      failure(exchange, error)
    }
  }

  function send(exchange: Exchange, answer: unknown): void {
    const reply = replyOf(answer)
    if (!reply) {
      exchange.answer(200, jsonType, json(answer))
      return
    }
    switch (reply[kind]) {
      case 'json':
        addHeaders(exchange, reply.headers)
        if (reply.body === undefined) exchange.answer(reply.status, undefined, undefined)
        else exchange.answer(reply.status, jsonType, json(reply.body))
        return
      case 'raw':
        addHeaders(exchange, reply.headers)
        checkHeader('content-type', reply.contentType)
        exchange.answer(reply.status, reply.contentType, sendable(reply.body))
        return
      case 'file':
        sendFile(exchange, reply)
        return
      case 'event-stream':
        stream(exchange, reply)
        return
      case 'raw-stream':
        streamRaw(exchange, reply)
        return
      case 'web-socket':
        if (!exchange.isUpgradable) throw upgradeRequired()
        exchange.upgrade(reply.handlers)
        return
      default:
        reply satisfies never
    }
  }

  function stream(exchange: Exchange, answer: EventStreamReply): void {
    // Proxies must neither cache nor buffer events.
    exchange.replaceHeader('cache-control', 'no-store')
    exchange.trustedHeader('x-accel-buffering', 'no')
    addHeaders(exchange, answer.headers)
    const out = exchange.openStream()
    if (!out) return
    try {
      const running = answer.run(out)
      if (!(running instanceof Promise)) return
      running.then(
        () => out.end(),
        (error: unknown) => streamFailure(exchange, out, error),
      )
    } catch (error) {
      streamFailure(exchange, out, error)
    }
  }

  function streamRaw(exchange: Exchange, answer: RawStreamReply): void {
    addHeaders(exchange, answer.headers)
    checkHeader('content-type', answer.contentType)
    const out = exchange.openStream(answer.contentType)
    if (!out) return
    answer.run(out).then(
      () => out.end(),
      (error: unknown) => {
        if (!isOfClient(exchange, error)) logFailure(exchange, error)
        exchange.cutStream()
      },
    )
  }

  function sendFile(exchange: Exchange, answer: FileReply): void {
    addHeaders(exchange, answer.headers)
    checkHeader('content-type', answer.contentType)
    if (answer.bytes === 0) {
      exchange.answer(answer.status, answer.contentType, '')
      return
    }
    const out = exchange.openSized(answer.status, answer.contentType, answer.bytes)
    if (!out) return
    writePieces(answer, out).catch((error: unknown) => {
      if (!isOfClient(exchange, error)) logFailure(exchange, error)
      exchange.cutStream()
    })
  }

  async function writePieces({ pieces }: FileReply, out: SizedWriter): Promise<void> {
    for await (const piece of pieces()) if (!(await out.write(piece))) return
    // Fewer than were promised.
    out.cut()
  }

  /** The status is sent already, so the failure is the last event of the stream. */
  function streamFailure(exchange: Exchange, out: StreamWriter, error: unknown): void {
    if (isOfClient(exchange, error)) {
      out.end()
      return
    }
    out.write(`event: error\ndata: ${JSON.stringify(describe(exchange, error).envelope)}\n\n`)
    out.end()
  }

  function failure(exchange: Exchange, error: unknown, closes = false): void {
    if (!exchange.isOpen) {
      counts.late++
      if (!isOfClient(exchange, error)) logFailure(exchange, error)
      return
    }
    exchange.dropHeaders()
    const { status, headers, envelope } = describe(exchange, error)
    for (const [name, value] of Object.entries(headers)) exchange.header(name, value)
    const shown = exchange.errorFace?.({ status, envelope, head: exchange.head })
    if (shown) exchange.answer(status, shown.contentType, shown.body, closes)
    else exchange.answer(status, jsonType, JSON.stringify(envelope), closes)
  }

  /** Whether the error comes only from the client's disconnecting, as an AbortError does. Such errors are not logged. */
  function isOfClient(exchange: Exchange, error: unknown): boolean {
    return (
      exchange.isCancelled &&
      (error === exchange.cancelledBecause || (error as { name?: unknown })?.name === 'AbortError')
    )
  }

  function describe(exchange: Exchange, error: unknown): Described {
    const known = knownError(error)
    if (known) {
      if (known.status >= 500 && known.status !== 503) {
        log.warn({ request_id: exchange.requestId, code: known.code, ...whyOf(known) }, 'request failed')
      }
      return { status: known.status, headers: known.headers ?? {}, envelope: envelopeOf(known) }
    }
    const code = report(exchange, error)
    return { status: 500, headers: {}, envelope: errorEnvelope('api_error', code, defectMessage(code)) }
  }

  /** Logs a failure that cannot be sent to the client; only an unexpected one is a defect. */
  function logFailure(exchange: Exchange, error: unknown): void {
    const known = knownError(error)
    if (!known) report(exchange, error)
    else
      log.warn(
        { request_id: exchange.requestId, code: known.code, ...whyOf(known) },
        'an answer was cut off by a failure',
      )
  }

  /** Logs a defect. @returns its code, for the client */
  function report(exchange: Exchange, error: unknown): string {
    counts.defects++
    const code = `SVC-${randomBytes(5).toString('hex').toUpperCase()}`
    const { method, path } = exchange.head
    log.error({ request_id: exchange.requestId, code, method, path, err: error }, 'defect in a request handler')
    return code
  }

  return {
    result,
    failure,
    counts,
  }
}

function upgradeRequired(): ApiError {
  return new ApiError('upgrade_required', 'This endpoint is a WebSocket. Send an Upgrade request.', {
    headers: { upgrade: 'websocket' },
  })
}

interface Described {
  status: number
  headers: Readonly<Record<string, string>>
  envelope: ErrorEnvelope
}

function addHeaders(exchange: Exchange, headers: Readonly<Record<string, string>> | undefined): void {
  if (!headers) return
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    checkHeader(name, text)
    // In place of what every answer has: two of one name would contradict each other.
    exchange.replaceHeader(name, text)
  }
}

/** @throws TypeError for a value without a JSON form: the library would send a status and then hang */
function json(value: unknown): string {
  const text = value === undefined || typeof value === 'function' ? undefined : JSON.stringify(value)
  if (text === undefined) throw new TypeError('the handler returned nothing that can be sent')
  return text
}

function sendable(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw new TypeError('a raw answer is text or bytes')
}

function defectMessage(code: string): string {
  return `The service failed to answer this request. Its log has the code ${code}; report it to whoever runs the service.`
}

/** Up to this size the library reads and drops a body by itself, behind the answer. */
const droppedBytesMax = 65_536

/** Answers a request whose body has not been read to its end: now where that is short, else when its client can read the answer. */
export function refuseUnread(exchange: Exchange, error: unknown, { failure }: Answering): void {
  const { hasBody, contentLength } = exchange.head
  if (!hasBody || Number(contentLength) <= droppedBytesMax) failure(exchange, error)
  else exchange.afterBody(() => failure(exchange, error))
}

/** Of a failure that says all by itself its words; of one that another error has caused, that with its stack. */
function whyOf(known: ApiError): { reason: string } | { err: unknown } {
  const failure = known.cause ?? known
  return failure instanceof Failure && failure.cause === undefined ? { reason: failure.message } : { err: failure }
}
