/**
 * The requests to one HTTP server: to its own origin only, limited in number and size. Each stream ends when its call is
 * cancelled: servers leave such streams open, and they would pile up in a session.
 */
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type Agent, type Response as UndiciResponse, fetch as undiciFetch } from 'undici'
import { type Clock, sleep } from '../../runtime/time/clock.ts'
import { type BoundedBody, boundedBody, eventMeter, messageMeter, wholeMeter } from './bounded-body.ts'
import { McpConnectionFailed, systemCode } from './connection-failed.ts'
import { type FlowLimit, flowLimit } from './flow-limit.ts'
import type { McpLimits } from './limits.ts'

interface FetchDependencies {
  limits: McpLimits
  clock: Clock
  onBroken(problem: McpConnectionFailed): void
}

/** One request under way, until its body is over. */
interface Exchange {
  /** Of the JSON-RPC request that it carries. */
  callId: unknown
  isCancelled: boolean
  isStream: boolean
  ending: AbortController
  body?: BoundedBody
}

export function boundedFetch(home: URL, agent: Agent, dependencies: FetchDependencies): { fetch: FetchLike } {
  const { limits, clock } = dependencies
  const flow = flowLimit(limits.flow, clock)
  const exchanges = new Set<Exchange>()
  let nextStreamMs = clock.elapsed()

  /** A server may close its stream of notifications at once, again and again: it is reopened at intervals. */
  async function untilStreamIsDue(signal: AbortSignal): Promise<void> {
    const waitMs = nextStreamMs - clock.elapsed()
    nextStreamMs = Math.max(nextStreamMs, clock.elapsed()) + limits.streamIntervalMs
    if (waitMs > 0) await sleep(clock, waitMs, signal)
  }

  function begin(message: Message | undefined, isStream: boolean): Exchange {
    if (exchanges.size >= limits.requestsMax) {
      const problem = new McpConnectionFailed('flood', `it left ${limits.requestsMax} requests unanswered`)
      dependencies.onBroken(problem)
      throw problem
    }
    const cancelled = message?.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    if (cancelled !== undefined) {
      for (const exchange of exchanges) if (exchange.callId === cancelled) cancel(exchange)
    }
    const callId = message?.method === undefined ? undefined : message.id
    const exchange: Exchange = { callId, isCancelled: false, isStream, ending: new AbortController() }
    exchanges.add(exchange)
    return exchange
  }

  function reportBroken(exchange: Exchange, error: unknown): void {
    if (exchange.isCancelled || exchange.ending.signal.aborted) return
    const bound = error instanceof McpConnectionFailed ? error : error instanceof Error ? error.cause : undefined
    // A stream of notifications that breaks is reopened by the SDK, unless the server cannot be reached.
    const isOpenedAgain = exchange.isStream && exchange.body !== undefined
    if (bound instanceof McpConnectionFailed) dependencies.onBroken(bound)
    else if (!isOpenedAgain)
      dependencies.onBroken(
        new McpConnectionFailed('unreachable', `it cannot be reached, or broke off its answer (${systemCode(error)})`),
      )
  }

  const fetch: FetchLike = async (input, init = {}) => {
    const url = new URL(input)
    if (url.origin !== home.origin) throw new McpConnectionFailed('redirected', 'it redirects to another origin')
    const method = init.method ?? 'GET'
    const headers = new Headers(init.headers)
    const exchange = begin(messageIn(init.body), method === 'GET')
    const signal = init.signal ? AbortSignal.any([init.signal, exchange.ending.signal]) : exchange.ending.signal
    // A request that ends with the transport is not broken.
    const stop = () => exchange.ending.abort()
    init.signal?.addEventListener('abort', stop, { once: true })
    const over = () => {
      exchanges.delete(exchange)
      init.signal?.removeEventListener('abort', stop)
    }
    try {
      if (exchange.isStream) await untilStreamIsDue(signal)
      const body = typeof init.body === 'string' ? init.body : null
      const pairs: [string, string][] = [...headers]
      const answer = await undiciFetch(url, {
        method,
        headers: pairs,
        body,
        redirect: 'manual',
        dispatcher: agent,
        signal,
      })
      if (isSessionLost(answer.status, headers))
        dependencies.onBroken(
          new McpConnectionFailed('session_lost', `it does not know its session any more (status ${answer.status})`),
        )
      return answerOf(answer, exchange, { limits, flow, over, broke: reportBroken })
    } catch (error) {
      over()
      reportBroken(exchange, error)
      throw error
    }
  }
  return { fetch }
}

/** 404 by the specification; servers of the reference implementation say 400. */
function isSessionLost(status: number, headers: Headers): boolean {
  return (status === 404 || status === 400) && headers.has('mcp-session-id')
}

interface AnswerDependencies {
  limits: McpLimits
  flow: FlowLimit
  over(): void
  broke(exchange: Exchange, error: unknown): void
}

/** The same answer, as the class that the SDK knows, with a body that is counted. */
function answerOf(
  answer: UndiciResponse,
  exchange: Exchange,
  { limits, flow, over, broke }: AnswerDependencies,
): Response {
  const { status, statusText } = answer
  const headers = [...answer.headers] as [string, string][]
  if (!answer.body || [204, 205, 304].includes(status)) {
    over()
    return new Response(null, { status, statusText, headers })
  }
  const contentType = answer.headers.get('content-type') ?? ''
  const isEvents = /^text\/event-stream\b/i.test(contentType)
  const isMessage = answer.ok && /^\s*application\/json\s*(;|$)/i.test(contentType)
  const meterOf = isEvents ? eventMeter : isMessage ? messageMeter : wholeMeter
  const meter = meterOf(limits.messageBytesMax, flow)
  const body = boundedBody(answer.body, meter, { onBroken: (error) => broke(exchange, error), onOver: over })
  if (isEvents) exchange.body = body
  return new Response(body.stream, { status, statusText, headers })
}

/**
 * A stream of events is completed with an empty answer: the SDK then considers the call answered, and does not resume the
 * stream. Any other request is aborted.
 */
function cancel(exchange: Exchange): void {
  exchange.isCancelled = true
  const answer = JSON.stringify({ jsonrpc: '2.0', id: exchange.callId, result: {} })
  if (exchange.body) exchange.body.finish(Buffer.from(`\n\ndata: ${answer}\n\n`))
  else exchange.ending.abort()
}

interface Message {
  id?: unknown
  method?: unknown
  params?: { requestId?: unknown }
}

/** The body was written by the SDK, so it is trusted. */
function messageIn(body: unknown): Message | undefined {
  return typeof body === 'string' ? (JSON.parse(body) as Message) : undefined
}
