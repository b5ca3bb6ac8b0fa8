/** The transport to one endpoint, whatever its style of API: streams and whole answers, with their usage. */
import { ModelError } from '../errors.ts'
import type {
  Capabilities,
  DeltaSink,
  ModelAnswer,
  ModelCall,
  ModelEnd,
  ModelRequest,
  ModelTransport,
  Usage,
} from '../transport.ts'
import { estimateUsage, type TokenCounter } from '../usage.ts'
import { connectionsTo } from './connections.ts'
import type { StreamedAnswerReader, WholeAnswer, WholeAnswerReader } from './dialect.ts'
import { type CallDependencies, type CallLimits, endpointCalls } from './endpoint-calls.ts'
import { Exchange } from './exchange.ts'
import { malformedAnswer } from './failures.ts'
import { type ApiStyle, Negotiation } from './negotiation.ts'
import { requestedModel } from './requested-model.ts'
import { emitWholeAnswer } from './whole-reader.ts'

export interface EndpointDependencies extends CallDependencies {
  tokens: TokenCounter
}

export interface EndpointTransportOptions {
  /** The styles that the endpoint may have, in the order in which they are tried: all of one origin. */
  styles: readonly [ApiStyle, ApiStyle?]
  /** Sent on every turn that was routed to no model; blank: the request's own. */
  model: string
  capabilities: Capabilities
  limits: () => CallLimits
  /** What the provider's own settings make of a request; absent: it goes as it is. */
  adjust?: (request: ModelRequest) => ModelRequest
}

/** Nobody waits for the answer any more, but the endpoint was asked, and has what it reads paid. */
const isSpent = ({ code }: ModelError, exchange: Exchange | undefined): boolean =>
  (code === 'cancelled' || code === 'call_timeout') && exchange?.isTaken === true

export function endpointTransport(
  { styles, model, capabilities, limits, adjust = (request) => request }: EndpointTransportOptions,
  dependencies: EndpointDependencies,
): ModelTransport {
  const { clock, tokens } = dependencies
  const { origin } = styles[0].address
  const connections = connectionsTo(origin)
  const negotiation = new Negotiation(styles, clock, dependencies.log)
  const call = endpointCalls({ origin, model, limits, connections, negotiation }, dependencies)

  async function complete(asked: ModelRequest): Promise<ModelAnswer> {
    const request = adjust(asked)
    let exchange: Exchange | undefined
    let reader: WholeAnswerReader | undefined
    const answer = await call(request, {
      exchange(sent, { style: { dialect, address } }, defaults) {
        const wholeReader = dialect.wholeReader(address)
        reader = wholeReader
        const body = dialect.body(sent, { ...defaults, isStream: false, asksForUsage: false })
        exchange = new Exchange({ dispatcher: connections.dispatcher, address, clock, body, reader: () => wholeReader })
        return exchange
      },
      result() {
        if (!reader?.answer) throw malformedAnswer('nothing')
        return reader.answer
      },
      canRepeat: () => true,
    }).catch(async (error: unknown) => {
      if (error instanceof ModelError && isSpent(error, exchange)) await count(error, request, {})
      throw error
    })
    const usage = answer.usage ?? (await estimateUsage(tokens, request, answer.answerText))
    return { ...endOf(request, answer, usage), choices: answer.choices }
  }

  function stream(asked: ModelRequest, sink: DeltaSink): ModelCall {
    const request = adjust(asked)
    let exchange: Exchange | undefined
    let reader: StreamedAnswerReader | undefined
    let wholeReader: WholeAnswerReader | undefined

    async function run(): Promise<ModelEnd> {
      try {
        await call(request, {
          exchange(sent, { style: { dialect, address }, asksForUsage }, defaults) {
            const streamReader = dialect.streamReader(sink, requestedModel(request, defaults), address)
            reader = streamReader
            wholeReader = undefined
            exchange = new Exchange({
              dispatcher: connections.dispatcher,
              address,
              clock,
              body: dialect.body(sent, { ...defaults, isStream: true, asksForUsage }),
              reader(contentType) {
                if (/^text\/html/i.test(contentType)) throw malformedAnswer('a page')
                if (!/^application\/json/i.test(contentType)) return streamReader
                wholeReader = dialect.wholeReader(address)
                return wholeReader
              },
              isStream: true,
            })
            return exchange
          },
          result() {},
          canRepeat: () => !reader?.hasEmitted,
        })
      } catch (error) {
        // What was generated before it failed was spent all the same.
        if (error instanceof ModelError && (reader?.hasEmitted || isSpent(error, exchange)))
          await count(error, request, reader?.hasEmitted ? reader : {})
        throw error
      }
      const whole = wholeReader?.answer
      if (whole) emitWholeAnswer(whole, requestedModel(request, { model }), sink)
      const answer = whole ?? reader
      if (!answer) throw malformedAnswer('nothing')
      return endOf(request, answer, answer.usage ?? (await estimateUsage(tokens, request, answer.answerText)))
    }

    return { done: run(), resume: () => exchange?.resume() }
  }

  /** What a call that failed has used: by whoever counts it, it is not free. */
  async function count(
    error: ModelError,
    request: ModelRequest,
    { model: answering, usage, answerText = '' }: Partial<Pick<WholeAnswer, 'model' | 'usage' | 'answerText'>>,
  ): Promise<void> {
    error.model = answering ?? requestedModel(request, { model })
    error.isUsageEstimated = usage === undefined
    error.usage = usage ?? (await estimateUsage(tokens, request, answerText))
  }

  function endOf(
    request: ModelRequest,
    answer: Pick<WholeAnswer, 'model' | 'usage' | 'extra'>,
    usage: Usage,
  ): ModelEnd {
    return {
      model: answer.model ?? requestedModel(request, { model }),
      usage,
      isUsageEstimated: answer.usage === undefined,
      extra: answer.extra,
    }
  }

  return {
    name: origin,
    capabilities,
    supportsTools: (name) => capabilities.tools && negotiation.supportsTools(name),
    stream,
    complete,
    close: connections.close,
  }
}
