/** One request before its handler: credential, rate limit, body, validation, in the order that costs us least for strangers. */
import type { Span } from '../../runtime/telemetry/trace.ts'
import type { Principal } from '../access.ts'
import { kind, type Reply, replyOf } from '../answer.ts'
import type { App } from '../app.ts'
import { isTicket } from '../auth/tickets.ts'
import { Call } from '../call.ts'
import { ApiError, overloaded, unauthorized } from '../error.ts'
import type { Route } from '../route.ts'
import type { BodyReader, BodyRefusal } from '../server/body.ts'
import type { Exchange } from '../server/exchange.ts'
import { refusalOf } from './admission.ts'
import type { Answering } from './answering.ts'
import { bearerOf } from './credential.ts'
import { endSocketWithCredential, endStreamWithCredential } from './credential-lifetime.ts'
import { isInboundSecret } from './inbound-secret.ts'
import { inputError } from './input-error.ts'
import { parseJsonBody, refuseContentType } from './json-body.ts'
import { areLines, parseJsonLines } from './json-lines.ts'
import type { EdgePolicy } from './policy.ts'
import { parseQuery } from './query.ts'
import { sessionPrincipal } from './session-principal.ts'
import { ticketOf, ticketPrincipal } from './ticket-principal.ts'

const bodyBytesMaxByDefault = 1_048_576

/** The body of a refused request is read and dropped up to this size; with a larger one the connection is closed. */
const drainedBytesMax = 65_536

export interface RequestContext {
  app: App
  route: Route
  params: Record<string, string> | undefined
  headers: Readonly<Record<string, string>> | undefined
  /** X-Service-Inbound-Secret, read only for inbound routes. */
  inboundSecret: string
  /** X-CSRF-Token, read only where there are cookies. */
  csrf: string
  span: Span | undefined
  policy: EdgePolicy
}

export class IncomingRequest implements BodyReader {
  readonly #exchange: Exchange
  readonly #answering: Answering
  readonly context: RequestContext
  #principal: Principal | undefined
  /** Whether the credential was accepted, or none is needed. */
  #isAdmitted = false
  #waitingBody: Buffer | undefined
  /** Of the live credentials, when this caller's was authenticated. */
  #generation = 0
  #stopWatching: (() => void) | undefined

  constructor(exchange: Exchange, arrival: RequestContext, answering: Answering) {
    this.#exchange = exchange
    this.#answering = answering
    this.context = arrival
  }

  /** True while the body has not arrived: a deadline then is the client's fault. */
  isAwaitingBody = false

  /** Runs inside the library's request callback. */
  begin(): void {
    const { route, app } = this.context
    if (route.access.kind === 'open') {
      this.#isAdmitted = true
    } else if (route.access.kind === 'inbound') {
      if (!isInboundSecret(this.context.inboundSecret, app.settings.get('SERVICE_INBOUND_SECRET'))) {
        this.#refuse(
          unauthorized('The inbound secret is missing or wrong. Send it as the header X-Service-Inbound-Secret.'),
        )
        return
      }
      this.#isAdmitted = true
    } else {
      this.#generation = app.auth.liveCredentials.generation
      const found = this.#authenticate()
      if (found instanceof Promise) this.#admitLater(found)
      else if (!this.#admit(found)) return
    }
    if (!route.body) {
      if (this.#isAdmitted) this.#run(undefined)
      return
    }
    const refusal = this.#refuseBody()
    if (refusal) {
      this.#refuse(refusal)
      return
    }
    this.isAwaitingBody = true
    this.#exchange.readBody(route.bodyBytesMax ?? bodyBytesMaxByDefault, this)
  }

  #authenticate(): Principal | ApiError | Promise<Principal | ApiError> {
    const { app, route } = this.context
    const { head } = this.#exchange
    const acceptsTickets = route.access.kind === 'web'
    const bearer = bearerOf(head.authorization) ?? (acceptsTickets ? ticketOf(head.query) : undefined)
    if (bearer === undefined) {
      const session = head.authorization === '' && head.cookie !== '' ? this.#session() : undefined
      return session ?? missingCredential(head.authorization)
    }
    if (acceptsTickets && isTicket(bearer)) return ticketPrincipal(app, bearer)
    return app.keys.authenticate(bearer, () => this.#exchange.clientIp)
  }

  #session(): ReturnType<typeof sessionPrincipal> {
    const { app, policy, csrf } = this.context
    return sessionPrincipal(app, this.#exchange, { policy, csrf })
  }

  body(bytes: Buffer): void {
    this.isAwaitingBody = false
    if (this.#isAdmitted) this.#run(bytes)
    else this.#waitingBody = Buffer.from(bytes)
  }

  refused(why: BodyRefusal): void {
    if (why === 'too_large') this.#answering.failure(this.#exchange, tooLarge(this.context.route), true)
    else
      this.#answering.failure(
        this.#exchange,
        overloaded('Too many request bodies are being received; try again.'),
        true,
      )
  }

  #refuseBody(): ApiError | undefined {
    const { head } = this.#exchange
    const bytesMax = this.context.route.bodyBytesMax ?? bodyBytesMaxByDefault
    if (head.contentLength !== '' && !(Number(head.contentLength) <= bytesMax)) return tooLarge(this.context.route)
    if (!head.hasBody || (this.context.route.takesLines && areLines(head.contentType))) return undefined
    return refuseContentType(head.contentType)
  }

  #refuse(error: ApiError): void {
    const { head } = this.#exchange
    const isShort = head.transferEncodings === 0 && Number(head.contentLength) <= drainedBytesMax
    this.#answering.failure(this.#exchange, error, head.hasBody && !isShort)
  }

  async #admitLater(found: Promise<Principal | ApiError>): Promise<void> {
    try {
      const principal = await found
      if (!this.#exchange.isOpen || !this.#admit(principal)) return
      const body = this.#waitingBody
      if (body || !this.context.route.body) this.#run(body)
    } catch (error) {
      this.#answering.failure(this.#exchange, error)
    }
  }

  #admit(found: Principal | ApiError): boolean {
    const { route, app } = this.context
    if (found instanceof ApiError) {
      this.#refuse(found)
      return false
    }
    if (
      (route.access.kind === 'key' || route.access.kind === 'web') &&
      found.kind === 'personal' &&
      !this.context.policy.arePersonalKeysAllowed
    ) {
      this.#refuse(unauthorized('Personal API keys are switched off on this service.'))
      return false
    }
    // Counted before the scope is checked: a key that keeps sending forbidden requests is limited too.
    const rate = app.limits.take(found)
    if (rate) {
      this.#exchange.trustedHeader('ratelimit-limit', String(rate.limit))
      this.#exchange.trustedHeader('ratelimit-remaining', String(rate.remaining))
      this.#exchange.trustedHeader('ratelimit-reset', String(rate.resetS))
      this.#exchange.keepHeaders()
      if (!rate.isAllowed) {
        this.#refuse(rateLimited(rate.limit, rate.retryAfterS))
        return false
      }
    }
    const refusal = refusalOf(app, route.access, found)
    if (refusal) {
      this.#refuse(refusal)
      return false
    }
    this.#principal = found
    this.#isAdmitted = true
    return true
  }

  #run(bytes: Buffer | undefined): void {
    try {
      const call = this.#validate(bytes)
      this.#exchange.keepHeaders()
      this.#handle(call)
    } catch (error) {
      this.#fail(error)
    }
  }

  #validate(bytes: Buffer | undefined): Call {
    const { app, route, params, headers, span, policy } = this.context
    let query: unknown
    let path: unknown
    let body: unknown
    if (route.params) {
      const parsed = route.params.safeParse(params ?? {})
      if (!parsed.success) throw inputError(parsed.error, 'path')
      path = parsed.data
    }
    if (route.query) {
      const parsed = route.query.safeParse(parseQuery(this.#exchange.head.query))
      if (!parsed.success) throw inputError(parsed.error, 'query')
      query = parsed.data
    }
    if (route.body) {
      const parsed = route.body.safeParse(this.#parse(bytes ?? Buffer.alloc(0)))
      if (!parsed.success) throw inputError(parsed.error, 'body')
      body = parsed.data
    }
    const input = { body, query, params: path, principal: this.#principal }
    return new Call(app, this.#exchange, input, { trace: span?.context, headers, policy })
  }

  #parse(bytes: Buffer): unknown {
    const { head } = this.#exchange
    return this.context.route.takesLines && areLines(head.contentType) ? parseJsonLines(bytes) : parseJsonBody(bytes)
  }

  #handle(call: Call): void {
    const { app, route, span } = this.context
    const handle = route.handle as (call: Call) => unknown
    const result = span ? app.tracer.inSpan(span.context, () => handle(call)) : handle(call)
    if (result instanceof Promise) {
      result.then(
        (answer: unknown) => this.#answer(answer),
        (error: unknown) => this.#fail(error),
      )
    } else {
      this.#answer(result)
    }
  }

  #answer(result: unknown): void {
    const principal = this.#principal
    const reply = replyOf(result)
    if (!principal || !reply) {
      this.#answering.result(this.#exchange, result)
      return
    }
    try {
      this.#answering.result(this.#exchange, this.#endWithCredential(reply, principal))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** @returns the reply to send; a stream or a socket ends with the credential that opened it */
  #endWithCredential(reply: Reply, principal: Principal): Reply {
    const { app, route } = this.context
    const admitted = { app, route, principal, generation: this.#generation }
    if (reply[kind] === 'web-socket') return endSocketWithCredential(reply, admitted)
    const isStream = reply[kind] === 'event-stream' || reply[kind] === 'raw-stream'
    if (isStream && this.#exchange.isOpen) this.#stopWatching = endStreamWithCredential(this.#exchange, admitted)
    return reply
  }

  /** The exchange is over, however it ended. */
  over(): void {
    this.#stopWatching?.()
    this.#stopWatching = undefined
  }

  #fail(error: unknown): void {
    this.context.span?.fail(error)
    this.#answering.failure(this.#exchange, error)
  }
}

function missingCredential(authorization: string): ApiError {
  return unauthorized(
    authorization === ''
      ? 'You did not provide an API key. Send it as a header: Authorization: Bearer <key>.'
      : 'The Authorization header is not of the form: Bearer <key>.',
  )
}

function tooLarge(route: Route): ApiError {
  const bytesMax = route.bodyBytesMax ?? bodyBytesMaxByDefault
  return new ApiError('body_too_large', `The body is larger than ${bytesMax} bytes.`)
}

function rateLimited(limit: number, retryAfterS: number): ApiError {
  const message = `This key may make ${limit} requests a minute; try again in ${retryAfterS} s.`
  return new ApiError('rate_limit_exceeded', message, { retryAfterS })
}

export const deadlineError = (isAwaitingBody: boolean): ApiError =>
  isAwaitingBody
    ? new ApiError('body_timeout', 'The body did not arrive in time.')
    : new ApiError('deadline_exceeded', 'The service did not answer within its deadline.')
