/** The transport to any endpoint that speaks the chat-completions convention. */
import { Pool } from 'undici'
import type { Clock, Timer } from '../runtime/clock.ts'
import type { Random } from '../runtime/random.ts'
import { ChunkReader, readUsage } from './chunk-reader.ts'
import { callTimeout, cancelled, ModelError } from './errors.ts'
import { garbage } from './failures.ts'
import { ModelExchange } from './exchange.ts'
import { withRetries } from './retry.ts'
import { estimateUsage } from './tokens.ts'
import type {
  ModelChoice,
  DeltaSink,
  ModelAnswer,
  ModelCall,
  ModelRequest,
  ModelTransport,
  ModelEnd,
} from './transport.ts'

export interface CompatibleEndpoint {
  /** With the version segment: `http://127.0.0.1:11434/v1`. */
  baseUrl: string
  /** Blank: no Authorization header. */
  apiKey: string
  /** Sent on every turn; blank: the request's own. */
  model: string
}

/** What may change while the transport lives. Read at each call. */
export interface CallLimits {
  retries: number
  /** 0: none. */
  timeoutMs: number
  temperature: number | undefined
  topP: number | undefined
}

/** Turns are bounded above; this bounds what a wrong bound there could do to the endpoint. */
const connectionsMax = 4_096

const answerBytesMax = 33_554_432

export function compatibleTransport(
  endpoint: CompatibleEndpoint,
  limits: () => CallLimits,
  world: { clock: Clock; random: Random },
): ModelTransport {
  const { clock } = world
  const url = new URL(endpoint.baseUrl.endsWith('/') ? endpoint.baseUrl : `${endpoint.baseUrl}/`)
  const path = `${url.pathname}chat/completions${url.search}`
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(endpoint.apiKey !== '' && { authorization: `Bearer ${endpoint.apiKey}` }),
  }
  const pool = new Pool(url.origin, {
    connections: connectionsMax,
    pipelining: 1,
    connect: { timeout: 10_000 },
    // Shorter than what servers usually keep, so that a call rarely meets a connection that is being closed.
    keepAliveTimeout: 4_000,
  })
  /** Some endpoints refuse stream_options; asked once, then left out. */
  let takesStreamOptions = true

  function bodyOf(request: ModelRequest, stream: boolean): string {
    const { temperature, topP } = limits()
    const body: Record<string, unknown> = {
      ...request.parameters,
      model: endpoint.model || request.model,
      messages: request.messages,
    }
    if (temperature !== undefined && body['temperature'] === undefined) body['temperature'] = temperature
    if (topP !== undefined && body['top_p'] === undefined) body['top_p'] = topP
    if (stream) {
      body['stream'] = true
      if (takesStreamOptions) body['stream_options'] = { include_usage: true }
    }
    return JSON.stringify(body)
  }

  /** Runs tries of a call within its budget, and ends them when the caller goes away. */
  async function inBudget<Result>(
    request: ModelRequest,
    work: (
      begin: (options: { body: string; onBytes(bytes: Buffer): boolean }) => ModelExchange,
      retry: RetrySetup,
    ) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs, retries } = limits()
    const ending = new AbortController()
    let current: ModelExchange | undefined
    const end = (reason: ModelError) => {
      ending.abort(reason)
      current?.abort(reason)
    }
    const onAbort = () => end(cancelled())
    if (request.signal.aborted) throw cancelled()
    request.signal.addEventListener('abort', onAbort, { once: true })
    const timer: Timer | undefined =
      timeoutMs > 0 ? clock.after(timeoutMs, () => end(callTimeout(timeoutMs))) : undefined
    const begin = ({ body, onBytes }: { body: string; onBytes(bytes: Buffer): boolean }) => {
      current = new ModelExchange(pool, { path, headers, body, onBytes }, clock)
      return current
    }
    try {
      return await work(begin, { retries, clock, random: world.random, signal: ending.signal })
    } finally {
      timer?.cancel()
      request.signal.removeEventListener('abort', onAbort)
    }
  }

  async function streamed(
    request: ModelRequest,
    sink: DeltaSink,
    call: { exchange: ModelExchange | undefined },
  ): Promise<ModelEnd> {
    let reader = new ChunkReader(sink)
    await inBudget(request, (begin, retry) =>
      withRetries(
        async () => {
          reader = new ChunkReader(sink)
          try {
            call.exchange = begin({ body: bodyOf(request, true), onBytes: (bytes) => reader.bytes(bytes) })
            await call.exchange.done
          } catch (error) {
            if (!refusesStreamOptions(error, takesStreamOptions)) throw error
            takesStreamOptions = false
            call.exchange = begin({ body: bodyOf(request, true), onBytes: (bytes) => reader.bytes(bytes) })
            await call.exchange.done
          }
          reader.end()
        },
        () => !reader.hasPassedOn,
        retry,
      ),
    )
    const usage = reader.usage ?? (await estimateUsage(request.messages, reader.said))
    return {
      model: reader.model ?? (endpoint.model || request.model),
      usage,
      isUsageEstimated: reader.usage === undefined,
      extra: reader.extra,
    }
  }

  return {
    name: endpoint.model,
    stream(request, sink): ModelCall {
      const call: { exchange: ModelExchange | undefined } = { exchange: undefined }
      return { done: streamed(request, sink, call), resume: () => call.exchange?.resume() }
    },
    complete: (request) =>
      inBudget(request, (begin, retry) =>
        withRetries(
          async () => {
            const parts: Buffer[] = []
            let bytesTotal = 0
            const exchange = begin({
              body: bodyOf(request, false),
              onBytes(bytes) {
                bytesTotal += bytes.length
                if (bytesTotal > answerBytesMax) throw garbage(`an answer of more than ${answerBytesMax} bytes`)
                parts.push(bytes)
                return true
              },
            })
            await exchange.done
            return await readAnswer(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), request, endpoint)
          },
          () => true,
          retry,
        ),
      ),
    close: () => pool.close(),
  }
}

type RetrySetup = Parameters<typeof withRetries>[2]

function refusesStreamOptions(error: unknown, didSend: boolean): boolean {
  return (
    didSend && error instanceof ModelError && error.upstreamStatus === 400 && error.message.includes('stream_options')
  )
}

async function readAnswer(bytes: Buffer, request: ModelRequest, endpoint: CompatibleEndpoint): Promise<ModelAnswer> {
  let body: Record<string, unknown>
  try {
    body = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch (cause) {
    throw garbage('an answer that is no JSON', cause)
  }
  const choices = body?.['choices']
  if (!Array.isArray(choices) || !choices.every(isChoice)) throw garbage('an answer without choices')
  const usage = readUsage(body['usage'])
  const extra: Record<string, unknown> = {}
  for (const name of ['system_fingerprint', 'service_tier'])
    if (typeof body[name] === 'string') extra[name] = body[name]
  return {
    model: typeof body['model'] === 'string' ? body['model'] : endpoint.model || request.model,
    choices,
    usage: usage ?? (await estimateUsage(request.messages, JSON.stringify(choices.map((choice) => choice.message)))),
    isUsageEstimated: usage === undefined,
    extra,
  }
}

function isChoice(value: unknown): value is ModelChoice {
  if (typeof value !== 'object' || value === null) return false
  const { index, message } = value as Record<string, unknown>
  return typeof index === 'number' && typeof message === 'object' && message !== null
}
