/** One HTTP exchange with an endpoint: the bytes of a good answer are handed over as they come, all else is a failure. */
import type { Dispatcher } from 'undici'
import { first, retryAfterMs } from '../../runtime/network/retry-after.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { ModelError } from '../errors.ts'
import type { BodyReader } from './body-reader.ts'
import type { EndpointAddress } from './endpoint.ts'
import { malformedAnswer, refusalError, streamCut, unreachable } from './failures.ts'
import { watchSilence } from './silence.ts'

/** Of a refusal: more than any endpoint needs to say why. */
const refusalBytesMax = 65_536

/** How long the end of the body may lag behind the end of the answer before the connection is given up. */
const lingerMs = 2_000

type Headers = Record<string, string | string[] | undefined>

export interface ExchangeOptions {
  dispatcher: Dispatcher
  address: EndpointAddress
  body: string
  clock: Clock
  /** What reads the answer, chosen by its content type. @throws ModelError where no answer comes in such a form */
  reader(contentType: string): BodyReader
  /** An endpoint that falls silent in the middle of a stream ends the exchange. */
  isStream?: boolean
}

export class Exchange implements Dispatcher.DispatchHandler {
  /** Resolves when the answer is complete. @throws ModelError */
  readonly done: Promise<void>
  /** Received so far; whoever watches for silence compares it. */
  bytesTotal = 0
  isPaused = false
  readonly #options: Omit<ExchangeOptions, 'dispatcher' | 'body'>
  readonly #resolve: () => void
  readonly #reject: (error: ModelError) => void
  #controller: Dispatcher.DispatchController | undefined
  #reader: BodyReader | undefined
  #status = 0
  #headers: Headers = {}
  #refusal: Buffer[] = []
  #isSettled = false
  #abortReason: Error | undefined
  #linger: Timer | undefined
  #stopWatchingSilence: (() => void) | undefined

  /** The body is not kept: a stream may outlive its request by minutes. */
  constructor({ dispatcher, body, ...options }: ExchangeOptions) {
    this.#options = options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    this.#resolve = resolve
    this.#reject = reject
    if (options.isStream) this.#stopWatchingSilence = watchSilence(this, options.clock)
    const { origin, path, headers } = options.address
    // Time is bounded by the call's own budget and by the watch on silence.
    const limits = { headersTimeout: 0, bodyTimeout: 0 }
    dispatcher.dispatch({ origin, path, method: 'POST', headers, body, ...limits }, this)
  }

  /** The request went out and was not refused: whether or not an answer was awaited, the endpoint works on it. */
  get isTaken(): boolean {
    return this.#controller !== undefined && (this.#status === 0 || this.#isGood)
  }

  /** Ends the exchange now: `done` rejects with `reason`, the connection is closed. */
  abort(reason: ModelError): void {
    this.#fail(reason)
    this.#close(reason)
  }

  resume(): void {
    if (!this.isPaused) return
    this.isPaused = false
    // The HTTP client must not be entered from inside another call's read: once this stack is done, it is not.
    queueMicrotask(() => {
      if (!this.#abortReason) this.#controller?.resume()
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#abortReason) controller.abort(this.#abortReason)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
    if (!this.#isGood) return
    try {
      this.#reader = this.#options.reader(first(headers['content-type']) ?? '')
    } catch (error) {
      this.abort(error as ModelError)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    this.bytesTotal += bytes.length
    if (this.#isSettled) return
    if (this.#reader) this.#read(this.#reader, controller, bytes)
    else this.#readRefusal(bytes)
  }

  onResponseEnd(): void {
    this.#linger?.cancel()
    if (this.#isSettled) return
    try {
      if (!this.#reader) throw this.#refusalError()
      this.#reader.end()
      this.#succeed()
    } catch (error) {
      this.#fail(error as ModelError)
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#linger?.cancel()
    if (!this.#isSettled) this.#fail(this.#connectionLost(error))
  }

  get #isGood(): boolean {
    return this.#status >= 200 && this.#status < 300
  }

  #read(reader: BodyReader, controller: Dispatcher.DispatchController, bytes: Buffer): void {
    try {
      if (!reader.data(bytes)) {
        this.isPaused = true
        controller.pause()
      }
      if (reader.isComplete) this.#complete()
    } catch (error) {
      this.abort(error as ModelError)
    }
  }

  /** The connection is gone before the body has ended. */
  #connectionLost(error: Error): ModelError {
    if (isNoHttp(error)) return malformedAnswer('not HTTP', error)
    if (this.#status === 0) return unreachable(error, this.#options.address)
    return this.#isGood ? streamCut(error) : this.#refusalError()
  }

  /** The answer is complete before its body has ended, mostly by one read: the connection is kept if the rest comes soon. */
  #complete(): void {
    this.isPaused = false
    this.#succeed()
    this.#linger = this.#options.clock.after(lingerMs, () => this.#close(new Error('the body did not end')))
    this.#controller?.resume()
  }

  #readRefusal(bytes: Buffer): void {
    if (this.bytesTotal <= refusalBytesMax) {
      this.#refusal.push(bytes)
      return
    }
    this.abort(this.#refusalError())
  }

  #refusalError(): ModelError {
    const shouldRetry = first(this.#headers['x-should-retry'])
    return refusalError({
      status: this.#status,
      body: this.#refusalBody(),
      retryAfterMs: retryAfterMs(this.#headers, this.#options.clock),
      shouldRetry: shouldRetry === 'true' ? true : shouldRetry === 'false' ? false : undefined,
      endpoint: this.#options.address,
    })
  }

  /** JSON, or plain text; a page of a proxy in between says nothing to a client. */
  #refusalBody(): unknown {
    const text = Buffer.concat(this.#refusal).toString('utf8')
    try {
      return JSON.parse(text)
    } catch {
      return first(this.#headers['content-type'])?.startsWith('text/plain') ? text : undefined
    }
  }

  #succeed(): void {
    this.#settle()
    this.#resolve()
  }

  #fail(error: ModelError): void {
    if (this.#isSettled) return
    this.#settle()
    this.#reject(error)
  }

  #settle(): void {
    this.#isSettled = true
    this.#stopWatchingSilence?.()
  }

  #close(reason: Error): void {
    this.#linger?.cancel()
    this.#abortReason = reason
    this.#controller?.abort(reason)
  }
}

function isNoHttp(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return error.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW'
}
