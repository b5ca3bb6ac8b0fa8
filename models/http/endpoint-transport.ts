/** The calls to one endpoint, whatever its style: admission, budget, attempts, streams and whole answers, usage. */

import type { Log } from '../../runtime/log/log.ts'
import type { Random } from '../../runtime/random.ts'
import { noTracer, type Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ModelError } from '../errors.ts'
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
import { CallCancellation } from './call-cancellation.ts'
import { connectionsTo } from './connections.ts'
import type { BodyDefaults, StreamedAnswerReader, WholeAnswerReader } from './dialect.ts'
import { Exchange } from './exchange.ts'
import { malformedAnswer } from './failures.ts'
import { type ApiStyle, Negotiation, type RequestVariant, refusesStyle } from './negotiation.ts'
import { requestedModel } from './requested-model.ts'
import { withRetries } from './retry.ts'
import { watchSilence } from './silence.ts'
import { hasTools, withoutTools } from './tool-support.ts'
import { emitWholeAnswer } from './whole-reader.ts'

/** What may change while the transport lives. Read at each call. */
export interface CallLimits {
  /** Attempts after the first, on transient failures. */
  retries: number
  /** For the whole call, attempts and waits included; 0: none. */
  timeoutMs: number
  temperature: number | undefined
  topP: number | undefined
}

export interface EndpointDependencies {
  clock: Clock
  random: Random
  tokens: TokenCounter
  tracer?: Tracer
  log?: Log
}

export interface EndpointTransportOptions {
  /** The ways to it, in the order in which they are tried: all of one origin. */
  styles: readonly [ApiStyle, ApiStyle?]
  /** Sent on every turn that was given to no model; blank: the request's own. */
  model: string
  capabilities: Capabilities
  limits: () => CallLimits
  /** What the endpoint's own settings make of a request; absent: it goes as it is. */
  adjust?: (request: ModelRequest) => ModelRequest
}

/** One call as its attempts see it. */
interface Attempting {
  request: ModelRequest
  end: CallCancellation
  defaults: BodyDefaults
}

export function endpointTransport(endpoint: EndpointTransportOptions, world: EndpointDependencies): ModelTransport {
  const { clock, random, tokens, tracer = noTracer } = world
  const { origin } = endpoint.styles[0].address
  const connections = connectionsTo(origin)
  const forms = new Negotiation(endpoint.styles, clock, world.log)

  /** Admission, budget, attempts and their trace: what streamed and whole calls have in common. */
  async function call<Result>(
    request: ModelRequest,
    exchange: (attempting: Attempting, form: RequestVariant) => Promise<Result>,
    canRepeat: () => boolean,
  ): Promise<Result> {
    const { retries, timeoutMs, temperature, topP } = endpoint.limits()
    const defaults = { model: endpoint.model, temperature, topP }
    connections.enter()
    const end = new CallCancellation(request.signal, timeoutMs, clock)
    const span = tracer.span('model call', request.trace, {
      'gen_ai.request.model': requestedModel(request, defaults),
      'server.address': origin,
    })
    let attempts = 0
    const tried = () => {
      attempts++
      return attempt({ request, end, defaults }, exchange, canRepeat)
    }
    try {
      return await withRetries(tried, canRepeat, end, { retriesMax: retries, clock, random })
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
    exchange: (attempting: Attempting, form: RequestVariant) => Promise<Result>,
    canRepeat: () => boolean,
  ): Promise<Result> {
    const { request, end, defaults } = attempting
    const model = requestedModel(request, defaults)
    let form = forms.variantFor(request, model)
    /** Of the first way, where the second is tried after it. */
    let refusal: ModelError | undefined
    for (;;) {
      if (end.reason) throw end.reason
      try {
        const isBare = !form.includesTools && hasTools(request)
        const asked = { ...(isBare ? withoutTools(request) : request), keepsReasoning: form.includesReasoning }
        const result = await exchange({ ...attempting, request: asked }, form)
        forms.recordSuccess(form, request, model)
        if (refusal) forms.recordSecondStyle()
        return result
      } catch (error) {
        if (!canRepeat()) forms.recordSuccess(form, request, model)
        const next = canRepeat() ? forms.fallbackFor(error, form) : undefined
        // Neither way is known there: the first one's words count, unless only the second's are about the model.
        if (!next) throw refusal && refusesStyle(error) && error.code !== 'model_unknown' ? refusal : error
        if (next.style !== form.style) refusal = error as ModelError
        form = next
      }
    }
  }

  async function whole(given: ModelRequest): Promise<ModelAnswer> {
    const request = endpoint.adjust?.(given) ?? given
    const answer = await call(
      request,
      async ({ request: asked, end, defaults }, { style: { dialect, address } }) => {
        const reader = dialect.wholeReader(address)
        const exchange = new Exchange({
          dispatcher: connections.dispatcher,
          address,
          clock,
          body: dialect.body(asked, { ...defaults, isStream: false, asksForUsage: false }),
          reader: () => reader,
        })
        end.onCancel((reason) => exchange.abort(reason))
        await exchange.done
        if (!reader.answer) throw malformedAnswer('nothing')
        return reader.answer
      },
      () => true,
    )
    return {
      model: answer.model ?? requestedModel(request, endpoint),
      choices: answer.choices,
      usage: answer.usage ?? (await estimateUsage(tokens, request, answer.answerText)),
      isUsageEstimated: answer.usage === undefined,
      extra: answer.extra,
    }
  }

  function streamed(given: ModelRequest, sink: DeltaSink): ModelCall {
    const request = endpoint.adjust?.(given) ?? given
    let exchange: Exchange | undefined
    let reader: StreamedAnswerReader | undefined
    let inOnePiece: WholeAnswerReader | undefined

    async function exchangeOnce({ request: asked, end, defaults }: Attempting, form: RequestVariant): Promise<void> {
      const { dialect, address } = form.style
      inOnePiece = undefined
      const answer = dialect.streamReader(sink, requestedModel(request, defaults), address)
      reader = answer
      exchange = new Exchange({
        dispatcher: connections.dispatcher,
        address,
        clock,
        body: dialect.body(asked, { ...defaults, isStream: true, asksForUsage: form.asksForUsage }),
        reader(contentType) {
          if (/^text\/html/i.test(contentType)) throw malformedAnswer('a page')
          if (!/^application\/json/i.test(contentType)) return answer
          inOnePiece = dialect.wholeReader(address)
          return inOnePiece
        },
      })
      const stopWatching = watchSilence(exchange, clock)
      end.onCancel((reason) => exchange?.abort(reason))
      try {
        await exchange.done
      } finally {
        stopWatching()
      }
    }

    async function run(): Promise<ModelEnd> {
      try {
        await call(request, exchangeOnce, () => !reader?.hasEmitted)
      } catch (error) {
        // What was said before it failed was spent all the same.
        if (error instanceof ModelError && reader?.hasEmitted)
          error.usage = reader.usage ?? (await estimateUsage(tokens, request, reader.answerText))
        throw error
      }
      const known = inOnePiece?.answer ?? reader
      if (!known) throw malformedAnswer('nothing')
      if (inOnePiece?.answer) emitWholeAnswer(inOnePiece.answer, requestedModel(request, endpoint), sink)
      return {
        model: known.model ?? requestedModel(request, endpoint),
        usage: known.usage ?? (await estimateUsage(tokens, request, known.answerText)),
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
