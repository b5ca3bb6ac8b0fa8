/** Several endpoints as one transport: a call goes to the one that has its model, and to the next where that one is out. */
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { ModelError, type ModelErrorCode } from '../errors.ts'
import type { DeltaSink, EndpointAttempt, ModelCall, ModelEnd, ModelRequest, ModelTransport } from '../transport.ts'
import type { OpenEndpoint } from './named-endpoint.ts'
import { type Fallback, type Hop, planOf } from './plan.ts'

export interface RoutedTransportOptions {
  /** In their order, at least one. They are closed by whoever opened them. */
  endpoints: readonly OpenEndpoint[]
  fallbacks: readonly Fallback[]
  /** For a whole call, whichever endpoints it asks; 0: no limit. */
  timeoutMs: () => number
  clock: Clock
  log: Log
}

/** So long an endpoint that was out is asked after the others. It says itself how long, up to a minute. */
const restMs = seconds(10)
const restMsMax = seconds(60)

/** With another endpoint to go to, one is tried twice and waited for no longer than this between. */
const impatience = { retriesMax: 1, waitMsMax: seconds(1) }

/** Failures of the endpoint or of our account there: another endpoint may answer the same call. */
const failuresElsewhere: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  'endpoint_credentials',
  'garbage',
  'not_configured',
  'quota_exceeded',
])

export function routedTransport(options: RoutedTransportOptions): ModelTransport {
  const { endpoints, fallbacks, clock, log } = options
  const restsUntilMs = new Map<OpenEndpoint, number>()

  /** The last endpoints are those that were out a moment ago. */
  function planFor(request: ModelRequest): Hop[] {
    const hops = planOf(request, endpoints, fallbacks)
    if (hops.length === 1 || restsUntilMs.size === 0) return hops
    const nowMs = clock.elapsed()
    const isResting = ({ endpoint }: Hop) => (restsUntilMs.get(endpoint) ?? 0) > nowMs
    return [...hops.filter((hop) => !isResting(hop)), ...hops.filter(isResting)]
  }

  function rest(endpoint: OpenEndpoint, { code, retryAfterMs = 0 }: ModelError): void {
    const ms = Math.min(Math.max(retryAfterMs, restMs), restMsMax)
    if (!restsUntilMs.has(endpoint))
      log.warn({ endpoint: endpoint.name, code, restMs: ms }, 'a model endpoint is out; others are asked before it')
    restsUntilMs.set(endpoint, clock.elapsed() + ms)
  }

  async function ask<End extends ModelEnd>(
    request: ModelRequest,
    call: (transport: ModelTransport, request: ModelRequest) => Promise<End>,
    canMoveOn: () => boolean,
  ): Promise<End> {
    const hops = planFor(request)
    const timeoutMs = options.timeoutMs()
    const beganMs = clock.elapsed()
    const attempts: EndpointAttempt[] = []
    for (const [at, { endpoint, model }] of hops.entries()) {
      const startedMs = clock.elapsed()
      const isLast = at === hops.length - 1
      const spentMs = startedMs - beganMs
      const attempt = { endpoint: endpoint.name, model }
      try {
        const end = await call(endpoint.transport, {
          ...request,
          routedModel: model,
          limits: {
            ...(!isLast && impatience),
            // In whole seconds: the words of a call whose time is spent say how many it had.
            ...(timeoutMs > 0 &&
              at > 0 && { timeoutMs: Math.max(1, Math.ceil((timeoutMs - spentMs) / 1_000)) * 1_000 }),
          },
        })
        if (restsUntilMs.delete(endpoint)) log.info({ endpoint: endpoint.name }, 'a model endpoint answers again')
        attempts.push({ ...attempt, model: end.model, tookMs: clock.elapsed() - startedMs })
        return { ...end, attempts }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        const { code, upstreamStatus: status } = error
        attempts.push({ ...attempt, code, ...(status && { status }), tookMs: clock.elapsed() - startedMs })
        error.attempts = attempts
        if (!isElsewhere(error)) throw error
        rest(endpoint, error)
        const isOver = timeoutMs > 0 && clock.elapsed() - beganMs >= timeoutMs
        if (isLast || isOver || request.signal.aborted || !canMoveOn()) throw error
      }
    }
    throw new ModelError('not_configured', 'no model endpoint is configured')
  }

  return {
    name: endpoints.map(({ name }) => name).join(', '),
    complete: (request) =>
      ask(
        request,
        (transport, sent) => transport.complete(sent),
        () => true,
      ),
    stream(request, sink): ModelCall {
      let call: ModelCall | undefined
      let hasBegun = false
      const counted: DeltaSink = {
        delta(delta) {
          hasBegun = true
          return sink.delta(delta)
        },
      }
      const done = ask(
        request,
        (transport, sent) => {
          call = transport.stream(sent, counted)
          return call.done
        },
        () => !hasBegun,
      )
      return { done, resume: () => call?.resume() }
    },
    async close() {},
  }
}

function isElsewhere({ code, isOutage }: ModelError): boolean {
  return isOutage || failuresElsewhere.has(code)
}
