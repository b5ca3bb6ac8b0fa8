/** The calls to one endpoint, whatever its style: admission, budget, attempts, streams and whole answers, usage. */

import type { Log } from '../../runtime/log/log.ts'
import type { Random } from '../../runtime/random.ts'
import { noTracer, type Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { type BodyDefaults, modelOf } from '../chat/request-body.ts'
import { tellWhole } from '../chat/whole-reader.ts'
import { ModelError } from '../errors.ts'
import { type Form, Forms, isNoSuchWay, type Way } from '../negotiation.ts'
import { withRetries } from '../retry.ts'
import { hasTools, withoutTools } from '../tool-support.ts'
import type {
  Capabilities,
  DeltaSink,
  ModelAnswer,
  ModelCall,
  ModelEnd,
  ModelRequest,
  ModelTransport,
} from '../transport.ts'
import { estimateUsage, type TokenCounter } from '../usage.ts'
import { CallEnd } from './call-end.ts'
import { connectionsTo } from './connections.ts'
import type { StreamedAnswer, WholeReading } from './dialect.ts'
import { Exchange } from './exchange.ts'
import { garbage } from './failures.ts'
import { watchSilence } from './silence.ts'

/** What may change while the transport lives. Read at each call. */
export interface CallLimits {
  /** Attempts after the first, on transient failures. */
  retries: number
  /** For the whole call, attempts and waits included; 0: none. */
  timeoutMs: number
  temperature: number | undefined
  topP: number | undefined
}

export interface EndpointWorld {
  clock: Clock
  random: Random
  tokens: TokenCounter
  tracer?: Tracer
  log?: Log
}

export interface Endpoint {
  /** The ways to it, in the order in which they are tried: all of one origin. */
  ways: readonly [Way, Way?]
  /** Sent on every turn that was given to no model; blank: the request's own. */
  model: string
  capabilities: Capabilities
  limits: () => CallLimits
  /** What the endpoint's own settings make of a request; absent: it goes as it is. */
  shape?: (request: ModelRequest) => ModelRequest
}

/** One call as its attempts see it. */
interface Attempting {
  request: ModelRequest
  end: CallEnd
  defaults: BodyDefaults
}

export function callsTo(endpoint: Endpoint, world: EndpointWorld): ModelTransport {
  const { clock, random, tokens, tracer = noTracer } = world
  const { origin } = endpoint.ways[0].address
  const connections = connectionsTo(origin)
  const forms = new Forms(endpoint.ways, clock, world.log)

  /** Admission, budget, attempts and their trace: what streamed and whole calls have in common. */
  async function call<Result>(
    request: ModelRequest,
    exchange: (attempting: Attempting, form: Form) => Promise<Result>,
    canRepeat: () => boolean,
  ): Promise<Result> {
    const { retries, timeoutMs, temperature, topP } = endpoint.limits()
    const defaults = { model: endpoint.model, temperature, topP }
    connections.enter()
    const end = new CallEnd(request.signal, timeoutMs, clock)
    const span = tracer.span('model call', request.trace, {
      'gen_ai.request.model': modelOf(request, defaults),
      'server.address': origin,
    })
    let attempts = 0
    const tried = () => {
      attempts++
      return attempt({ request, end, defaults }, exchange, canRepeat)
    }
    try {
      return await withRetries(tried, canRepeat, end, { most: retries, clock, random })
    } catch (error) {
      span.fail(error)
      throw error
    } finally {
      if (tracer.isEnabled) span.set('attempts', attempts)
      span.end()
      end.release()
      connections.leave()
    }
  }

  /** One attempt: asked again at once in another form where the endpoint refuses the form itself. */
  async function attempt<Result>(
    attempting: Attempting,
    exchange: (attempting: Attempting, form: Form) => Promise<Result>,
    canRepeat: () => boolean,
  ): Promise<Result> {
    const { request, end, defaults } = attempting
    const model = modelOf(request, defaults)
    let form = forms.of(request, model)
    /** Of the first way, where the second is tried after it. */
    let refusal: ModelError | undefined
    for (;;) {
      if (end.reason) throw end.reason
      try {
        const isBare = !form.withTools && hasTools(request)
        const asked = { ...(isBare ? withoutTools(request) : request), keepsReasoning: form.withReasoning }
        const result = await exchange({ ...attempting, request: asked }, form)
        forms.served(form, request, model)
        if (refusal) forms.secondServed()
        return result
      } catch (error) {
        if (!canRepeat()) forms.served(form, request, model)
        const next = canRepeat() ? forms.after(error, form) : undefined
        // Neither way is known there: the first one's words count, unless only the second's are about the model.
        if (!next) throw refusal && isNoSuchWay(error) && error.code !== 'model_unknown' ? refusal : error
        if (next.way !== form.way) refusal = error as ModelError
        form = next
      }
    }
  }

  async function whole(given: ModelRequest): Promise<ModelAnswer> {
    const request = endpoint.shape?.(given) ?? given
    const answer = await call(
      request,
      async ({ request: asked, end, defaults }, { way: { dialect, address } }) => {
        const reader = dialect.whole(address)
        const exchange = new Exchange({
          dispatcher: connections.dispatcher,
          address,
          clock,
          body: dialect.body(asked, { ...defaults, isStream: false, asksForUsage: false }),
          reader: () => reader,
        })
        end.watch((reason) => exchange.abort(reason))
        await exchange.done
        if (!reader.answer) throw garbage('nothing')
        return reader.answer
      },
      () => true,
    )
    return {
      model: answer.model ?? modelOf(request, endpoint),
      choices: answer.choices,
      usage: answer.usage ?? (await estimateUsage(tokens, request, answer.said)),
      isUsageEstimated: answer.usage === undefined,
      extra: answer.extra,
    }
  }

  function streamed(given: ModelRequest, sink: DeltaSink): ModelCall {
    const request = endpoint.shape?.(given) ?? given
    let exchange: Exchange | undefined
    let reader: StreamedAnswer | undefined
    let inOnePiece: WholeReading | undefined

    async function exchangeOnce({ request: asked, end, defaults }: Attempting, form: Form): Promise<void> {
      const { dialect, address } = form.way
      inOnePiece = undefined
      const answer = dialect.streamed(sink, modelOf(request, defaults), address)
      reader = answer
      exchange = new Exchange({
        dispatcher: connections.dispatcher,
        address,
        clock,
        body: dialect.body(asked, { ...defaults, isStream: true, asksForUsage: form.asksForUsage }),
        reader(contentType) {
          if (/^text\/html/i.test(contentType)) throw garbage('a page')
          if (!/^application\/json/i.test(contentType)) return answer
          inOnePiece = dialect.whole(address)
          return inOnePiece
        },
      })
      const stopWatching = watchSilence(exchange, clock)
      end.watch((reason) => exchange?.abort(reason))
      try {
        await exchange.done
      } finally {
        stopWatching()
      }
    }

    async function run(): Promise<ModelEnd> {
      try {
        await call(request, exchangeOnce, () => !reader?.hasPassedOn)
      } catch (error) {
        // What was said before it failed was spent all the same.
        if (error instanceof ModelError && reader?.hasPassedOn)
          error.usage = reader.usage ?? (await estimateUsage(tokens, request, reader.said))
        throw error
      }
      const known = inOnePiece?.answer ?? reader
      if (!known) throw garbage('nothing')
      if (inOnePiece?.answer) tellWhole(inOnePiece.answer, modelOf(request, endpoint), sink)
      return {
        model: known.model ?? modelOf(request, endpoint),
        usage: known.usage ?? (await estimateUsage(tokens, request, known.said)),
        isUsageEstimated: known.usage === undefined,
        extra: known.extra,
      }
    }

    return { done: run(), resume: () => exchange?.resume() }
  }

  return {
    name: origin,
    capabilities: endpoint.capabilities,
    supportsTools: (model) => endpoint.capabilities.tools && forms.supportsTools(model),
    stream: streamed,
    complete: whole,
    close: connections.close,
  }
}
