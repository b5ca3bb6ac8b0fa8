/** One request before its handler: credential, rate limit, body, validation, in the order that costs us least for strangers. */
import type { Span } from '../../runtime/telemetry/trace.ts'
import type { Principal } from '../access.ts'
import { kind, type Reply, replyOf } from '../answer.ts'
import type { App } from '../app.ts'
import { clientNetwork } from '../auth/client-network.ts'
import { type RateDecision, type RateLimiter, rateLimited } from '../auth/rate-limiter.ts'
import { isTicket } from '../auth/tickets.ts'
import { Call } from '../call.ts'
import { ApiError, overloaded, unauthorized } from '../error.ts'
import type { Route } from '../route.ts'
import type { BodyReader, BodyRefusal, BodySender } from '../server/body.ts'
import { BodyCutOff, type BodyStream } from '../server/body-stream.ts'
import type { Exchange } from '../server/exchange.ts'
import { refusalOf } from './admission.ts'
import { type Answering, refuseUnread } from './answering.ts'
import { refuseContentType } from './content-type.ts'
import { bearerOf } from './credential.ts'
import { endSocketWithCredential, endStreamWithCredential } from './credential-lifetime.ts'
import { isInboundSecret } from './inbound-secret.ts'
import { inputError } from './input-error.ts'
import { parseJsonBody } from './json-body.ts'
import { areLines, parseJsonLines } from './json-lines.ts'
import { largeBytes } from './large-json.ts'
import type { EdgePolicy } from './policy.ts'
import { parseForm, parseQuery } from './query.ts'
import type { RefusalLog } from './refusal-log.ts'
import { sessionPrincipal } from './session-principal.ts'
import { isSigned, signatureRefusal } from './signed-address.ts'
import { ticketOf, ticketPrincipal } from './ticket-principal.ts'
import { isWebhookPost } from './webhook-secret.ts'

const noBytes = Buffer.alloc(0)
const bodyBytesMaxByDefault = 1_048_576
const formBytesMax = 524_288
/** Of routes that anybody may call. */
const openBodyBytesMax = 16_384

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
  refusalLog: RefusalLog
}

export class IncomingRequest implements BodyReader {
  readonly #exchange: Exchange
  readonly #answering: Answering
  readonly context: RequestContext
  #principal: Principal | undefined
  /** Whether the credential was accepted, or none is needed. */
  #isAdmitted = false
  #waitingBody: Buffer | undefined
  #streamed: BodyStream | undefined
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
        this.#refuseCaller(
          unauthorized('The inbound secret is missing or wrong. Send it as the header X-Service-Inbound-Secret.'),
        )
        return
      }
      this.#isAdmitted = true
    } else if (route.access.kind === 'webhook') {
      if (!isWebhookPost(app, this.context)) {
        this.#refuseCaller(unauthorized('There is no channel that takes this: its id or the secret is wrong.'))
        return
      }
      this.#isAdmitted = true
    } else if (route.access.kind === 'signed' && isSigned(this.#exchange.head.query)) {
      const refusal = signatureRefusal(app, route.access.use, this.context.params, this.#exchange.head.query)
      if (refusal) {
        this.#refuseCaller(refusal)
        return
      }
      this.#isAdmitted = true
    } else {
      this.#generation = app.auth.liveCredentials.generation
      const found = this.#authenticate()
      const rate = found instanceof Promise ? undefined : this.#takeRate(found)
      if (found instanceof Promise || rate instanceof Promise) this.#admitLater(found, rate)
      else if (!this.#admit(found, rate)) return
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
    if (route.bodyKind !== 'stream') {
      this.#exchange.readBody(bodyBytesMaxOf(route), this)
      return
    }
    this.#streamed = this.#exchange.streamBody(this)
    if (this.#isAdmitted) this.#runStreamed()
  }

  #authenticate(): Principal | ApiError | Promise<Principal | ApiError> {
    const { app, route } = this.context
    const { head } = this.#exchange
    const acceptsTickets = route.access.kind === 'web' || route.access.kind === 'signed'
    const bearer = bearerOf(head.authorization) ?? (acceptsTickets ? ticketOf(head.query) : undefined)
    if (bearer === undefined) {
      const session = head.authorization === '' && head.cookie !== '' ? this.#session() : undefined
      return session ?? missingCredential(head.authorization)
    }
    if (acceptsTickets && isTicket(bearer)) return ticketPrincipal(app, bearer, () => this.#exchange.clientIp)
    return app.keys.authenticate(bearer, () => this.#exchange.clientIp)
  }

  #session(): ReturnType<typeof sessionPrincipal> {
    const { app, policy, csrf } = this.context
    return sessionPrincipal(app, this.#exchange, { policy, csrf })
  }

  get bodySender(): BodySender {
    const { access } = this.context.route
    const { settings } = this.context.app
    if (this.#principal) return { name: holderOf(this.#principal), isStranger: false }
    const hasSecret = access.kind === 'inbound' && settings.get('SERVICE_INBOUND_SECRET') !== ''
    if (hasSecret) return { name: access.kind, isStranger: false }
    const network = clientNetwork(this.#exchange.clientIp)
    // Whoever has an address that was signed was let in.
    if (access.kind === 'signed' && this.#isAdmitted) return { name: `${access.kind} ${network}`, isStranger: false }
    return { name: network, isStranger: true }
  }

  body(bytes: Buffer, isKept: boolean): boolean {
    this.isAwaitingBody = false
    const kept = () => (isKept ? bytes : Buffer.from(bytes))
    if (!this.#isAdmitted) {
      this.#waitingBody = kept()
      return true
    }
    if (this.#isLarge(bytes)) this.#runLater(kept())
    else this.#run(bytes)
    return false
  }

  /** Of a streamed body, which the handler has been reading. */
  bodyEnded(): void {
    this.isAwaitingBody = false
  }

  refused(why: BodyRefusal): void {
    const error =
      why === 'too_large'
        ? tooLarge(this.context.route)
        : overloaded('Too many request bodies are being received; try again.')
    // The handler of a stream reads it already, and would answer first.
    if (this.#streamed) this.#answering.failure(this.#exchange, error, true)
    else refuseUnread(this.#exchange, error, this.#answering)
  }

  #refuseBody(): ApiError | undefined {
    const { head } = this.#exchange
    const bytesMax = bodyBytesMaxOf(this.context.route)
    if (head.contentLength !== '' && !(Number(head.contentLength) <= bytesMax)) return tooLarge(this.context.route)
    if (!head.hasBody || this.#takesLines()) return undefined
    return refuseContentType(head.contentType, this.context.route)
  }

  #refuseCaller(error: ApiError, principal?: Principal): void {
    this.#logRefusal(error, principal)
    this.#refuse(error)
  }

  #logRefusal(error: ApiError, principal: Principal | undefined): void {
    const { route, refusalLog } = this.context
    refusalLog({ exchange: this.#exchange, route, error, principal })
  }

  #refuse(error: ApiError): void {
    if (this.#waitingBody) this.#answering.failure(this.#exchange, error)
    else refuseUnread(this.#exchange, error, this.#answering)
  }

  async #admitLater(
    found: Principal | ApiError | Promise<Principal | ApiError>,
    taken: ReturnType<RateLimiter['take']>,
  ): Promise<void> {
    try {
      const principal = await found
      const rate = await (taken ?? this.#takeRate(principal))
      if (!this.#exchange.isOpen || !this.#admit(principal, rate)) return
      const body = this.#waitingBody
      if (body) this.#exchange.dropBody()
      if (body && this.#isLarge(body)) this.#runLater(body)
      else if (body || !this.context.route.body) this.#run(body)
      else this.#runStreamed()
    } catch (error) {
      this.#answering.failure(this.#exchange, error)
    }
  }

  /** Counted before anything else is checked: a key that keeps sending forbidden requests is limited too. */
  #takeRate(found: Principal | ApiError): ReturnType<RateLimiter['take']> {
    return found instanceof ApiError ? undefined : this.context.app.limits.take(found)
  }

  #admit(found: Principal | ApiError, rate: RateDecision | undefined): boolean {
    const { route, app } = this.context
    if (found instanceof ApiError) {
      this.#refuseCaller(found)
      return false
    }
    if (
      (route.access.kind === 'key' || route.access.kind === 'web' || route.access.kind === 'signed') &&
      found.kind === 'personal' &&
      !this.context.policy.arePersonalKeysAllowed
    ) {
      this.#refuseCaller(unauthorized('Personal API keys are switched off on this service.'), found)
      return false
    }
    if (rate) {
      this.#exchange.trustedHeader('ratelimit-limit', String(rate.limit))
      this.#exchange.trustedHeader('ratelimit-remaining', String(rate.remaining))
      this.#exchange.trustedHeader('ratelimit-reset', String(rate.resetS))
      this.#exchange.keepHeaders()
      if (!rate.isAllowed) {
        this.#refuseCaller(rateLimited(rate), found)
        return false
      }
    }
    const refusal = refusalOf(app, route.access, found)
    if (refusal) {
      this.#refuseCaller(refusal, found)
      return false
    }
    this.#principal = found
    this.#isAdmitted = true
    if (this.isAwaitingBody) this.#exchange.bodySenderKnown()
    return true
  }

  #run(bytes: Buffer | undefined): void {
    try {
      this.#handleBody(this.context.route.body && this.#parse(bytes ?? noBytes))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Before the body has come, where the route reads it itself. */
  #runStreamed(): void {
    try {
      if (this.#streamed) this.#handleBody(this.#streamed)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Parsed on a thread. */
  #isLarge({ length }: Buffer): boolean {
    return length > largeBytes && (this.context.route.bodyKind ?? 'json') === 'json'
  }

  async #runLater(bytes: Buffer): Promise<void> {
    try {
      const { largeJson } = this.context.app
      const body = await (this.#takesLines() ? largeJson.parseLines(bytes) : largeJson.parse(bytes))
      if (this.#exchange.isOpen) this.#handleBody(body)
    } catch (error) {
      this.#fail(error)
    }
  }

  #handleBody(parsed: unknown): void {
    const call = this.#validate(parsed)
    this.#exchange.keepHeaders()
    this.#handle(call)
  }

  #validate(parsedBody: unknown): Call {
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
      const parsed = route.body.safeParse(parsedBody)
      if (!parsed.success) throw inputError(parsed.error, 'body')
      body = parsed.data
    }
    const input = { body, query, params: path, principal: this.#principal }
    return new Call(app, this.#exchange, input, { trace: span?.context, headers, policy })
  }

  #parse(bytes: Buffer): unknown {
    const { bodyKind } = this.context.route
    if (bodyKind === 'form') return parseForm(bytes)
    // The library takes the bytes back when this returns.
    if (bodyKind === 'raw') return Buffer.from(bytes)
    return this.#takesLines() ? parseJsonLines(bytes) : parseJsonBody(bytes)
  }

  #takesLines(): boolean {
    return this.context.route.takesLines === true && areLines(this.#exchange.head.contentType)
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
    const isStream = reply[kind] === 'event-stream' || reply[kind] === 'raw-stream' || reply[kind] === 'file'
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
    // Whoever ended the exchange has said why.
    if (error instanceof BodyCutOff && !this.#exchange.isOpen) return
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      this.#logRefusal(error, this.#principal)
    }
    if (this.#streamed?.isUnfinished) refuseUnread(this.#exchange, error, this.#answering)
    else this.#answering.failure(this.#exchange, error)
  }
}

function missingCredential(authorization: string): ApiError {
  return unauthorized(
    authorization === ''
      ? 'You did not provide an API key. Send it as a header: Authorization: Bearer <key>.'
      : 'The Authorization header is not of the form: Bearer <key>.',
  )
}

/** The credential that its bodies count on: the one that its rate counts on. */
const holderOf = ({ keyId, rateKeyId, operator, owner }: Principal): string =>
  rateKeyId ?? keyId ?? operator?.id ?? owner

function bodyBytesMaxOf({ access, bodyBytesMax, bodyKind }: Route): number {
  if (bodyBytesMax !== undefined) return bodyBytesMax
  if (access.kind === 'open') return openBodyBytesMax
  return bodyKind === 'form' ? formBytesMax : bodyBytesMaxByDefault
}

function tooLarge(route: Route): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${bodyBytesMaxOf(route)} bytes.`)
}

export const deadlineError = (isAwaitingBody: boolean): ApiError =>
  isAwaitingBody
    ? new ApiError('body_timeout', 'The body did not arrive in time.')
    : new ApiError('deadline_exceeded', 'The service did not answer within its deadline.')
