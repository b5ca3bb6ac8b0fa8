/** The transport to any endpoint that speaks the chat-completions convention. */
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import { noTracer, type Tracer } from '../../runtime/telemetry/trace.ts'
import { CallEnd } from '../call-end.ts'
import { ModelError } from '../errors.ts'
import { withRetries } from '../retry.ts'
import type { DeltaSink, ModelAnswer, ModelCall, ModelEnd, ModelRequest, ModelTransport } from '../transport.ts'
import { estimateUsage, type TokenCounter } from '../usage.ts'
import { connectionsTo } from './connections.ts'
import { addressOf, type CompatibleEndpoint } from './endpoint.ts'
import { Exchange } from './exchange.ts'
import { garbage } from './failures.ts'
import { type BodyDefaults, modelOf, streamBody, wholeBody } from './request-body.ts'
import { watchSilence } from './silence.ts'
import { StreamReader } from './stream-reader.ts'
import { tellWhole, WholeReader } from './whole-reader.ts'

/** What may change while the transport lives. Read at each call. */
export interface CallLimits {
  /** Attempts after the first, on transient failures. */
  retries: number
  /** For the whole call, attempts and waits included; 0: none. */
  timeoutMs: number
  temperature: number | undefined
  topP: number | undefined
}

export interface CompatibleWorld {
  clock: Clock
  random: Random
  tokens: TokenCounter
  tracer?: Tracer
}

/** @throws TypeError when the endpoint's URL is none */
export function compatibleTransport(
  endpoint: CompatibleEndpoint,
  limits: () => CallLimits,
  world: CompatibleWorld,
): ModelTransport {
  const { clock, random, tokens, tracer = noTracer } = world
  const address = addressOf(endpoint)
  const connections = connectionsTo(address.origin)
  /** Some endpoints refuse `stream_options`: seen once, it is left out from then on. */
  let asksForUsage = true

  /** Admission, budget, attempts and their trace: what streamed and whole calls have in common. */
  async function call<Result>(
    request: ModelRequest,
    attempt: (end: CallEnd, defaults: BodyDefaults) => Promise<Result>,
    canRepeat: () => boolean,
  ): Promise<Result> {
    const { retries, timeoutMs, temperature, topP } = limits()
    const defaults = { model: endpoint.model, temperature, topP }
    connections.enter()
    const end = new CallEnd(request.signal, timeoutMs, clock)
    const span = tracer.span('model call', request.trace, {
      'gen_ai.request.model': modelOf(request, defaults),
      'server.address': address.origin,
    })
    let attempts = 0
    const tried = () => {
      attempts++
      return attempt(end, defaults)
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

  async function whole(request: ModelRequest): Promise<ModelAnswer> {
    const answer = await call(
      request,
      async (end, defaults) => {
        if (end.reason) throw end.reason
        const reader = new WholeReader(address.redact)
        const body = wholeBody(request, defaults)
        const exchange = new Exchange({
          dispatcher: connections.dispatcher,
          address,
          clock,
          body,
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

  function streamed(request: ModelRequest, sink: DeltaSink): ModelCall {
    let exchange: Exchange | undefined
    let reader = new StreamReader(sink, '', address.redact)
    let inOnePiece: WholeReader | undefined

    async function exchangeOnce(end: CallEnd, defaults: BodyDefaults, isUsageWanted: boolean): Promise<void> {
      if (end.reason) throw end.reason
      inOnePiece = undefined
      reader = new StreamReader(sink, modelOf(request, defaults), address.redact)
      exchange = new Exchange({
        dispatcher: connections.dispatcher,
        address,
        clock,
        body: streamBody(request, defaults, isUsageWanted),
        reader(contentType) {
          if (/^text\/html/i.test(contentType)) throw garbage('a page')
          if (!/^application\/json/i.test(contentType)) return reader
          inOnePiece = new WholeReader(address.redact)
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

    async function attempt(end: CallEnd, defaults: BodyDefaults): Promise<void> {
      // Other calls may learn the same meanwhile.
      const hasAsked = asksForUsage
      try {
        await exchangeOnce(end, defaults, hasAsked)
      } catch (error) {
        if (!hasAsked || !refusesStreamOptions(error)) throw error
        asksForUsage = false
        await exchangeOnce(end, defaults, false)
      }
    }

    async function run(): Promise<ModelEnd> {
      try {
        await call(request, attempt, () => !reader.hasPassedOn)
      } catch (error) {
        // What was said before it failed was spent all the same.
        if (error instanceof ModelError && reader.hasPassedOn)
          error.usage = reader.usage ?? (await estimateUsage(tokens, request, reader.said))
        throw error
      }
      const known = inOnePiece?.answer ?? reader
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
    name: address.origin,
    stream: streamed,
    complete: whole,
    close: connections.close,
  }
}

function refusesStreamOptions(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    (error.upstreamStatus === 400 || error.upstreamStatus === 422) &&
    /stream_options|include_usage/.test(`${error.param ?? ''} ${error.message}`)
  )
}
