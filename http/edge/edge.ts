/** What every request goes through before and after its handler, the same for all routes. */
import type { App } from '../app.ts'
import { ApiError, notFound } from '../error.ts'
import { type FaceOfPrefix, faceOf } from '../error-face.ts'
import type { Route } from '../route.ts'
import { router } from '../router.ts'
import type { Exchange, HeaderReader, Outcome, RequestHandler } from '../server/exchange.ts'
import { type Answering, type AnsweringCounts, answering, refuseUnread } from './answering.ts'
import { clientIpOf } from './client-ip.ts'
import { allowOrigin, allowPreflight } from './cors.ts'
import { inboundSecretHeader } from './inbound-secret.ts'
import { deadlineError, IncomingRequest } from './incoming-request.ts'
import type { EdgePolicy } from './policy.ts'
import { type RefusalLog, refusalLog } from './refusal-log.ts'
import { requestIdFor } from './request-id.ts'
import { insecureRequest } from './secure-only.ts'
import { csrfHeader } from './session-principal.ts'
import { parseTraceparent } from './traceparent.ts'

export interface EdgeCounts extends AnsweringCounts {
  requests: number
  /** Clients that disconnected before their answer was complete. */
  aborted: number
  /** Readers of a stream that were disconnected because they read too slowly. */
  cutOff: number
  /** Requests past their deadline. */
  expired: number
}

export interface EdgeOptions {
  app: App
  routes: readonly Route[]
  /** The current policy. Called for every request, so it must be cheap. */
  policy: () => EdgePolicy
  /** How failures below some paths look. */
  faces?: readonly FaceOfPrefix[] | undefined
}

type EdgeExchange = Exchange<IncomingRequest>

export class Edge implements RequestHandler<IncomingRequest> {
  readonly #app: App
  readonly #policy: () => EdgePolicy
  readonly #find: ReturnType<typeof router>['find']
  readonly #answering: Answering
  readonly #refusalLog: RefusalLog
  readonly #faces: readonly FaceOfPrefix[]
  readonly #counts = { requests: 0, aborted: 0, cutOff: 0, expired: 0 }

  constructor(options: EdgeOptions) {
    this.#app = options.app
    this.#policy = options.policy
    this.#faces = options.faces ?? []
    this.#find = router(options.routes).find
    this.#answering = answering(options.app.log)
    this.#refusalLog = refusalLog(options.app.log, options.app.clock)
  }

  get counts(): EdgeCounts {
    return { ...this.#counts, ...this.#answering.counts }
  }

  request(exchange: EdgeExchange, more: HeaderReader): void {
    this.#counts.requests++
    const policy = this.#policy()
    const { head } = exchange
    if (this.#faces.length > 0) exchange.errorFace = faceOf(head.path, this.#faces)
    exchange.requestId = requestIdFor(head.requestId)
    exchange.trustedHeader('x-request-id', exchange.requestId)
    const fixed = policy.securityHeaders
    for (let index = 0; index < fixed.length; index += 2) {
      exchange.trustedHeader(fixed[index] ?? '', fixed[index + 1] ?? '')
    }
    allowOrigin(exchange, policy)
    exchange.keepHeaders()
    if (head.transferEncodings > 0) {
      // Not at once: the library runs what it has read beyond an answered request, also where the connection is to end. Of
      // a request that has no answer yet it ends the connection instead.
      setImmediate(() => {
        if (exchange.isOpen) this.#answering.failure(exchange, lengthRequired(), true)
      })
      return
    }
    if (policy.isSecureRequired && this.#redirectOrRefuse(exchange, policy)) return
    const found = this.#find(head.path)
    if (!found) {
      this.#refuse(exchange, notFound(`There is nothing at ${quoted(head.path)}${this.#hintFor(head.path)}.`))
      return
    }
    const { allow, methods } = found.resource
    if (head.method === 'OPTIONS') {
      allowPreflight(exchange, more, policy, allow)
      exchange.trustedHeader('allow', allow)
      exchange.answer(204, undefined, undefined)
      return
    }
    const route = methods.get(head.method === 'HEAD' ? 'GET' : head.method)
    if (!route) {
      this.#refuse(exchange, methodNotAllowed(head.method, head.path, allow))
      return
    }
    if (exchange.isServerDraining && !route.isAnsweredWhileDraining) {
      this.#refuse(exchange, draining())
      return
    }
    this.#accept(exchange, more, route, found.params, policy)
  }

  /** Of a client whose base address lacks the version. */
  #hintFor(path: string): string {
    return this.#find(`/v1${path}`) ? `: the base address of the API ends in /v1` : ''
  }

  #accept(
    exchange: EdgeExchange,
    more: HeaderReader,
    route: Route,
    params: Record<string, string> | undefined,
    policy: EdgePolicy,
  ): void {
    const { tracer } = this.#app
    const span = tracer.isEnabled
      ? tracer.span(`${route.method} ${route.path}`, parseTraceparent(exchange.head.traceparent), {
          'http.request.method': exchange.head.method,
          'http.route': route.path,
          'service.request_id': exchange.requestId,
        })
      : undefined
    if (route.errorFace) exchange.errorFace = route.errorFace
    const headers = route.headers ? declaredHeaders(route.headers, more) : undefined
    const inboundSecret = route.access.kind === 'inbound' ? more.getHeader(inboundSecretHeader) : ''
    const csrf = exchange.head.cookie === '' ? '' : more.getHeader(csrfHeader)
    const arrival = {
      app: this.#app,
      route,
      params,
      headers,
      inboundSecret,
      csrf,
      span,
      policy,
      refusalLog: this.#refusalLog,
    }
    const incoming = new IncomingRequest(exchange, arrival, this.#answering)
    exchange.note = incoming
    if (this.#app.log.isLevelEnabled('debug')) exchange.startedMs = this.#app.clock.elapsed()
    // An answer to an authenticated caller, or to somebody who signs in, must not be cached.
    if (route.access.kind !== 'open' || route.method !== 'GET') exchange.trustedHeader('cache-control', 'no-store')
    exchange.keepHeaders()
    incoming.begin()
    if (!exchange.isOpen) return
    const deadlineMs = route.deadlineMs ?? policy.deadlineMs
    if (deadlineMs > 0) exchange.expireAfter(deadlineMs)
  }

  /** True when an insecure request was redirected to HTTPS, or refused. */
  #redirectOrRefuse(exchange: EdgeExchange, policy: EdgePolicy): boolean {
    const verdict = insecureRequest(exchange, policy.isTrustedProxy, policy.publicOrigin)
    if (!verdict) return false
    if ('refusal' in verdict) {
      this.#refuse(exchange, verdict.refusal)
    } else {
      exchange.header('location', verdict.redirectTo)
      exchange.answer(308, undefined, '')
    }
    return true
  }

  #refuse(exchange: EdgeExchange, error: ApiError): void {
    refuseUnread(exchange, error, this.#answering)
  }

  clientIp(remoteAddress: string, forwardedFor: string): string {
    return clientIpOf(remoteAddress, forwardedFor, this.#policy().isTrustedProxy)
  }

  broke(exchange: EdgeExchange, error: unknown): void {
    try {
      this.#answering.failure(exchange, error)
    } catch (second) {
      // An exception that left here would end the process.
      exchange.close()
      this.#app.log.error({ request_id: exchange.requestId, err: second }, 'an error could not be answered')
    }
  }

  expired(exchange: EdgeExchange): void {
    if (!exchange.isOpen) return
    this.#counts.expired++
    const error = deadlineError(exchange.note?.isAwaitingBody ?? false)
    exchange.dropBody()
    this.broke(exchange, error)
    exchange.cancel(error)
  }

  socketBroke(error: unknown): void {
    this.#app.log.error({ err: error }, 'defect in a handler of a WebSocket; the socket was closed')
  }

  finished(exchange: EdgeExchange, outcome: Outcome): void {
    if (outcome === 'aborted') this.#counts.aborted++
    else if (outcome === 'cut_off') this.#counts.cutOff++
    const incoming = exchange.note
    if (!incoming) return
    incoming.over()
    const { span, route } = incoming.context
    if (span) {
      span.set('http.response.status_code', exchange.status)
      if (outcome !== 'answered') span.set('service.outcome', outcome)
      span.end()
    }
    if (exchange.startedMs === 0 || !this.#app.log.isLevelEnabled('debug')) return
    const durationMs = Math.round((this.#app.clock.elapsed() - exchange.startedMs) * 100) / 100
    const line = { request_id: exchange.requestId, method: exchange.head.method, route: route.path }
    this.#app.log.debug({ ...line, status: exchange.status, outcome, duration_ms: durationMs }, 'request')
  }
}

/** The parser takes chunks that are not framed as they should be: where they end, a proxy before us may see otherwise. */
const lengthRequired = (): ApiError =>
  new ApiError('length_required', 'Send the body with Content-Length; a chunked one is not taken.')

function declaredHeaders(names: readonly string[], more: HeaderReader): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of names) headers[name] = more.getHeader(name)
  return headers
}

const quoted = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

function methodNotAllowed(method: string, path: string, allow: string): ApiError {
  const message = `${method.slice(0, 20)} is not a method of ${quoted(path)}; it takes ${allow}.`
  return new ApiError('method_not_allowed', message, { headers: { allow } })
}

function draining(): ApiError {
  return new ApiError('draining', 'The service is stopping. Try again.')
}
