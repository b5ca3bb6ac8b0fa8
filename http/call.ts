/** What a handler gets: the validated input, the caller, and details of the request, which are computed when first read. */
import type { TraceContext } from '../runtime/telemetry/trace.ts'
import type { App } from './app.ts'
import { isOwnOrigin, isSecure } from './edge/own-origin.ts'
import type { EdgePolicy } from './edge/policy.ts'
import type { Exchange } from './server/exchange.ts'

export class Call<Body = unknown, Query = unknown, Params = unknown, Caller = unknown> {
  readonly app: App
  readonly body: Body
  readonly query: Query
  readonly params: Params
  readonly principal: Caller
  /** The parent of new spans; undefined while tracing is off. */
  readonly trace: TraceContext | undefined
  readonly #exchange: Exchange
  readonly #headers: Readonly<Record<string, string>> | undefined
  readonly #policy: EdgePolicy

  constructor(
    app: App,
    exchange: Exchange,
    input: { body: Body; query: Query; params: Params; principal: Caller },
    context: {
      trace: TraceContext | undefined
      headers: Readonly<Record<string, string>> | undefined
      policy: EdgePolicy
    },
  ) {
    this.app = app
    this.body = input.body
    this.query = input.query
    this.params = input.params
    this.principal = input.principal
    this.trace = context.trace
    this.#exchange = exchange
    this.#headers = context.headers
    this.#policy = context.policy
  }

  get requestId(): string {
    return this.#exchange.requestId
  }

  /** The client's address, past trusted proxies; empty when the client was gone at the first read. */
  get clientIp(): string {
    return this.#exchange.clientIp
  }

  /** Aborted when the client disconnects before its answer is complete, or the request's deadline has passed. */
  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  /** Whether the client uses HTTPS, according to a trusted proxy. */
  get isSecure(): boolean {
    return isSecure(this.#exchange, this.#policy)
  }

  /** Whether the request comes from a page that is not ours. A client that is no browser sends no origin. */
  get isFromForeignPage(): boolean {
    return this.#exchange.head.origin !== '' && !isOwnOrigin(this.#exchange, this.#policy)
  }

  /** The origin of the requesting page, if it is one of ours. */
  get ownOrigin(): string | undefined {
    return isOwnOrigin(this.#exchange, this.#policy) ? this.#exchange.head.origin : undefined
  }

  /** A header that the route declares in `headers`; empty when the client sent none. @throws TypeError for any other */
  header(name: string): string {
    const value = this.#headers?.[name]
    if (value === undefined) throw new TypeError(`the route does not declare the header ${name}`)
    return value
  }

  /** Adds a header to the answer. @throws HeaderRefused for control characters */
  setHeader(name: string, value: string): void {
    this.#exchange.header(name, value)
  }
}
