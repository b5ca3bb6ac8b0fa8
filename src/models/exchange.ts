/** One HTTP exchange with a model endpoint: bytes handed over as they come, its end a promise. The hot path below a stream. */
import type { Dispatcher } from 'undici'
import type { Clock } from '../runtime/clock.ts'
import type { ModelError } from './errors.ts'
import { garbage, statusError, streamCut, unreachable } from './failures.ts'
import { retryAfterMs } from './retry.ts'

export interface ExchangeRequest {
  path: string
  headers: Record<string, string>
  body: string
  /** Gets the body of a good answer. False: stop reading until `resume`. @throws ModelError: the exchange ends with it */
  onBytes(bytes: Buffer): boolean
}

const errorBodyBytesMax = 65_536

export class ModelExchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<void>
  readonly #onBytes: (bytes: Buffer) => boolean
  readonly #clock: Clock
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #retryAfter: string | undefined
  #errorBody: Buffer[] = []
  #errorBytes = 0
  #ended: Error | 'done' | undefined

  constructor(dispatcher: Dispatcher, request: ExchangeRequest, clock: Clock) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#onBytes = request.onBytes
    this.#clock = clock
    dispatcher.dispatch(
      // Time is bounded by the call's own budget, above.
      {
        path: request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      this,
    )
  }

  /** Ends the exchange now: the connection is closed, `done` rejects with `reason`. */
  abort(reason: Error): void {
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  resume(): void {
    if (!this.#ended) this.#controller?.resume()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended instanceof Error) controller.abort(this.#ended)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status
    const after = headers['retry-after']
    this.#retryAfter = Array.isArray(after) ? after[0] : after
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#ended) return
    if (this.#status < 200 || this.#status > 299) {
      this.#errorBytes += bytes.length
      if (this.#errorBytes <= errorBodyBytesMax) this.#errorBody.push(bytes)
      return
    }
    try {
      if (!this.#onBytes(bytes)) controller.pause()
    } catch (error) {
      this.abort(error as ModelError)
    }
  }

  onResponseEnd(): void {
    if (this.#ended) return
    if (this.#status < 200 || this.#status > 299) {
      this.#fail(statusError(this.#status, this.#said(), retryAfterMs(this.#retryAfter, this.#clock)))
      return
    }
    this.#ended = 'done'
    this.#resolve()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#ended) return
    if ('code' in error && String(error.code).startsWith('HPE_')) this.#fail(garbage('no HTTP', error))
    else this.#fail(this.#status === 0 ? unreachable(error) : streamCut(error))
  }

  #fail(error: Error): void {
    if (this.#ended) return
    this.#ended = error
    this.#reject(error)
  }

  /** The endpoint's own words about its failure, where they are in the usual place. */
  #said(): string {
    const text = Buffer.concat(this.#errorBody).toString('utf8')
    try {
      const body = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown; detail?: unknown }
      const said = typeof body.error === 'string' ? body.error : (body.error?.message ?? body.message ?? body.detail)
      return typeof said === 'string' ? said.slice(0, 1_000) : ''
    } catch {
      return ''
    }
  }
}
