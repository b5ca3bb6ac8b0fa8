/** Calls of the bot API. Its URL contains the token, so no error or text of undici or the server is passed on unchecked. */
import { Agent, request } from 'undici'
import { z } from 'zod'
import { Failure } from '../../../../runtime/failure.ts'
import { OutgoingRefused } from '../../../../runtime/network/judge.ts'
import { retryAfterMs } from '../../../../runtime/network/retry-after.ts'
import { seconds } from '../../../../runtime/time/duration.ts'
import type { AdapterDependencies } from '../../adapter.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Far above a hundred updates of the largest size. */
const answerBytesMax = 16 * 1_048_576
const descriptionLengthMax = 200
/** Longer pauses that a server asks for are cut to this. */
const retryAfterMsMax = seconds(86_400)
const callMs = seconds(15)

const Envelope = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.int().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().nonnegative().optional() }).optional().catch(undefined),
})

interface FailureDetails {
  statusCode?: number | null
  isAnswer?: boolean
  retryAfterMs?: number | undefined
}

/** A failed call. Without cause and address, which could contain the token. */
export class BotApiFailed extends Failure {
  readonly code = 'bot_api_failed'
  /** Null: no answer. */
  readonly statusCode: number | null
  /** True: the refusal is of the bot API itself, not of a proxy before it. */
  readonly isAnswer: boolean
  readonly retryAfterMs: number | undefined
  constructor(message: string, { statusCode = null, isAnswer = false, retryAfterMs }: FailureDetails = {}) {
    super(message)
    this.statusCode = statusCode
    this.isAnswer = isAnswer
    this.retryAfterMs = retryAfterMs
  }
}

export interface CallOptions<Result> {
  result: z.ZodType<Result>
  signal: AbortSignal
  /** Default 15 s. */
  timeoutMs?: number
}

export interface BotApi {
  /** The destination for the circuit breaker. */
  readonly origin: string
  /** @throws BotApiFailed, or the signal's reason */
  call<Result>(method: string, parameters: object, options: CallOptions<Result>): Promise<Result>
  close(): Promise<void>
}

export function botApi(
  address: { base: string; token: string; otherSecrets: readonly string[] },
  { clock, outgoing }: Pick<AdapterDependencies, 'clock' | 'outgoing'>,
): BotApi {
  const { base, token, otherSecrets } = address
  const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 10_000, connect: outgoing.connector })
  const path = `${base.replace(/\/+$/, '')}/bot${token}/`
  const clean = withoutSecrets([token, ...otherSecrets])

  async function exchange(method: string, parameters: object, signal: AbortSignal): Promise<Exchanged> {
    const answer = await request(path + method, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'service-chatapp' },
      body: JSON.stringify(parameters),
      signal,
      dispatcher: agent,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > answerBytesMax) {
        throw new BotApiFailed(`the answer to ${method} is larger than ${answerBytesMax} bytes`, {
          statusCode: answer.statusCode,
        })
      }
      chunks.push(chunk)
    }
    return {
      statusCode: answer.statusCode,
      text: clean(Buffer.concat(chunks).toString('utf8')),
      retryAfterMs: retryAfterMs(answer.headers, clock),
    }
  }

  return {
    origin: new URL(base).origin,
    async call(method, parameters, { result, signal, timeoutMs = callMs }) {
      const limit = new AbortController()
      const timer = clock.after(timeoutMs, () => limit.abort())
      let exchanged: Exchanged
      try {
        exchanged = await exchange(method, parameters, AbortSignal.any([signal, limit.signal]))
      } catch (error) {
        signal.throwIfAborted()
        if (limit.signal.aborted) throw new BotApiFailed(`no answer to ${method} in ${timeoutMs / 1_000} s`)
        if (error instanceof BotApiFailed) throw error
        const failure = error instanceof Error ? await outgoing.laterFailure(new URL(base), error) : error
        if (failure instanceof OutgoingRefused) throw new BotApiFailed(failure.message)
        throw new BotApiFailed(`${method} did not get through to the bot API: ${codeOf(failure)}`)
      } finally {
        timer.cancel()
      }
      return resultOf(method, exchanged, result, clean)
    },
    close: () => agent.destroy(),
  }
}

interface Exchanged {
  statusCode: number
  text: string
  retryAfterMs: number | undefined
}

function resultOf<Result>(
  method: string,
  { statusCode, text, retryAfterMs: headerMs }: Exchanged,
  schema: z.ZodType<Result>,
  clean: (text: string) => string,
): Result {
  const envelope = Envelope.safeParse(jsonOf(text)).data
  if (!envelope) {
    const what = statusCode >= 300 && statusCode < 400 ? 'a redirect, which is not followed' : 'no answer of a bot API'
    throw new BotApiFailed(`${method} got ${statusCode} and ${what}`, {
      statusCode,
      retryAfterMs: boundedMs(headerMs),
    })
  }
  if (envelope.ok) {
    const result = schema.safeParse(envelope.result)
    if (result.success) return result.data
    throw new BotApiFailed(`the result of ${method} has not the form of a bot API`, { statusCode })
  }
  const code = envelope.error_code ?? statusCode
  const description = clean(envelope.description ?? 'no description').slice(0, descriptionLengthMax)
  const bodyS = envelope.parameters?.retry_after
  throw new BotApiFailed(`the bot API refused ${method} (${code}): ${description}`, {
    statusCode: code,
    isAnswer: true,
    retryAfterMs: boundedMs(bodyS === undefined ? headerMs : bodyS * 1_000),
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the caller reports that there is no envelope
  }
}

function boundedMs(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(value, retryAfterMsMax)
}

/** Only the code: messages of URL and TLS errors quote their input. */
function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'the connection failed'
}
