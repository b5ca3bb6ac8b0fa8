/** The calls to one endpoint: admission, budget, attempts and their trace. What streamed and whole calls have in common. */
import type { Log } from '../../runtime/log/log.ts'
import type { Random } from '../../runtime/random.ts'
import { noTracer, type Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { ModelError } from '../errors.ts'
import type { CallShare, ModelRequest } from '../transport.ts'
import { budgetQueues } from './call-budgets.ts'
import { CallCancellation } from './call-cancellation.ts'
import type { Connections } from './connections.ts'
import type { BodyDefaults } from './dialect.ts'
import type { Exchange } from './exchange.ts'
import { failureLog } from './failure-log.ts'
import { type Negotiation, type RequestVariant, refusesStyle } from './negotiation.ts'
import { requestedModel } from './requested-model.ts'
import { waitForRetry } from './retry.ts'
import { hasTools, withoutTools } from './tool-support.ts'

/** What may change while the transport lives. Read at each call. */
export interface CallLimits {
  /** Attempts after the first, on transient failures. */
  retries: number
  /** For the whole call, attempts and waits included; 0: none. */
  timeoutMs: number
  temperature: number | undefined
  topP: number | undefined
}

/** What differs between kinds of calls. */
export interface CallKind<Result> {
  /** Sends the request and begins to read its answer: once for each attempt. */
  exchange(request: ModelRequest, variant: RequestVariant, defaults: BodyDefaults): Exchange
  /** Of the last exchange, once it is done. @throws ModelError */
  result(): Result
  /** Nothing of an answer was passed on yet. */
  canRepeat(): boolean
}

export interface CallDependencies {
  clock: Clock
  random: Random
  tracer?: Tracer
  log?: Log
}

export interface EndpointCallsOptions {
  origin: string
  model: string
  limits: () => CallLimits
  connections: Connections
  negotiation: Negotiation
}

const noShare: Partial<CallShare> = {}

export type EndpointCalls = <Result>(request: ModelRequest, kind: CallKind<Result>) => Promise<Result>

export function endpointCalls(options: EndpointCallsOptions, dependencies: CallDependencies): EndpointCalls {
  const { origin, connections, negotiation } = options
  const { clock, random, tracer = noTracer, log } = dependencies
  const failures = failureLog(origin, clock, log)
  const budgetQueue = budgetQueues(clock)

  /** One async function for all attempts: a call that does not fail pays for no other. */
  return async (request, kind) => {
    const { retries, timeoutMs: callMs, temperature, topP } = options.limits()
    const { retriesMax = retries, waitMsMax, timeoutMs = callMs } = request.limits ?? noShare
    const defaults: BodyDefaults = { model: options.model, temperature, topP }
    const model = requestedModel(request, defaults)
    connections.enter()
    const cancellation = new CallCancellation(request.signal, timeoutMs > 0 ? budgetQueue(timeoutMs) : undefined, clock)
    const span = tracer.span('model call', request.trace, { 'gen_ai.request.model': model, 'server.address': origin })
    let attempt = 1
    try {
      let variant = negotiation.variantFor(request, model)
      /** Of the first style, where the second is tried after it. */
      let refusal: ModelError | undefined
      for (;;) {
        if (cancellation.reason) throw cancellation.reason
        try {
          const exchange = kind.exchange(requestIn(variant, request), variant, defaults)
          cancellation.onCancel((reason) => exchange.abort(reason))
          await exchange.done
          const result = kind.result()
          negotiation.recordSuccess(variant, request, model)
          if (refusal) negotiation.recordSecondStyle()
          failures.succeeded()
          return result
        } catch (error) {
          if (!kind.canRepeat()) negotiation.recordSuccess(variant, request, model)
          const fallback = kind.canRepeat() ? negotiation.fallbackFor(error, variant) : undefined
          if (fallback) {
            if (fallback.style !== variant.style) refusal = error as ModelError
            variant = fallback
            continue
          }
          // Neither style exists there: the first refusal counts, unless only the second is about the model.
          const failure = refusal && refusesStyle(error) && error.code !== 'model_unknown' ? refusal : error
          if (!kind.canRepeat()) throw failure
          await waitForRetry(failure, attempt, cancellation, {
            retriesMax: Math.min(retriesMax, retries),
            waitMsMax,
            clock,
            random,
          })
          attempt++
          refusal = undefined
          variant = negotiation.variantFor(request, model)
        }
      }
    } catch (error) {
      span.fail(error)
      failures.failed(error)
      throw error
    } finally {
      if (tracer.isEnabled) span.set('attempts', attempt)
      span.end()
      cancellation.release()
      connections.leave()
    }
  }
}

/** The request without what the variant leaves out; the same object where it leaves nothing out. */
function requestIn(variant: RequestVariant, request: ModelRequest): ModelRequest {
  const isBare = !variant.includesTools && hasTools(request)
  const sent = isBare ? withoutTools(request) : request
  return sent.keepsReasoning && !variant.includesReasoning ? { ...sent, keepsReasoning: false } : sent
}
