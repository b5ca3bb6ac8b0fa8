/** Tests a model endpoint with one small question: address, connection, TLS, authorisation, answer. */
import type { Settings } from '../../../config/settings.ts'
import { ModelError, type ModelErrorCode } from '../../../models/errors.ts'
import { addressOf, type Endpoint } from '../../../models/http/endpoint.ts'
import type { CallLimits } from '../../../models/http/endpoint-calls.ts'
import type { EndpointProvider } from '../../../models/provider.ts'
import type { TokenCounter } from '../../../models/usage.ts'
import { systemRandom } from '../../../runtime/random.ts'
import type { Clock } from '../../../runtime/time/clock.ts'

export const trialSteps = ['address', 'connection', 'tls', 'authorisation', 'answer'] as const
export type TrialStepName = (typeof trialSteps)[number]

/** unknown: not reached, or not certain. skipped: not needed, as TLS without HTTPS. */
export type TrialStepState = 'ok' | 'failed' | 'unknown' | 'skipped'

export interface TrialStep {
  name: TrialStepName
  state: TrialStepState
}

export interface TrialResult {
  steps: TrialStep[]
  isOk: boolean
  /** Of the failure, without secrets, at most about a thousand characters. */
  message: string | null
  /** The HTTP status of the endpoint. */
  status: number | null
  /** The beginning of the model's answer. */
  said: string | null
  model: string | null
}

export interface Trial {
  provider: EndpointProvider
  endpoint: Endpoint
  /** The provider reads more from them than address, key and model. */
  settings: Settings
}

const trialMs = 20_000
const answerCharactersMax = 200

const limits: CallLimits = { retries: 0, timeoutMs: trialMs, temperature: undefined, topP: undefined }

/** Usage is not shown, so tokens are not counted. */
const noCount: TokenCounter = { count: async (texts) => texts.map(() => 0), async close() {} }

/** Takes at most twenty seconds. Nothing is stored, and no turn is recorded. */
export async function tryModel(
  { provider, endpoint, settings }: Trial,
  clock: Clock,
  signal: AbortSignal,
): Promise<TrialResult> {
  const isTls = new URL(endpoint.baseUrl).protocol === 'https:'
  const { redact } = addressOf(endpoint, 'chat')
  const transport = provider.open(endpoint, {
    settings,
    clock,
    random: systemRandom,
    tokens: noCount,
    limits: () => limits,
  })
  try {
    const answer = await transport.complete({
      model: endpoint.model,
      messages: [{ role: 'user', content: 'Answer with the word OK.' }],
      parameters: {},
      signal,
    })
    const { content } = answer.choices[0]?.message ?? {}
    const said = typeof content === 'string' ? redact(content).slice(0, answerCharactersMax) : ''
    return {
      ...stepsUpTo('answer', { state: 'ok', isTls }),
      message: null,
      status: 200,
      said,
      model: answer.model.slice(0, answerCharactersMax),
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const message = [error.message, reasonOf(error, redact)].filter((part) => part !== '').join(': ')
    const status = error.upstreamStatus ?? null
    return {
      ...stepsUpTo(stepOf(error), { state: 'failed', isTls, error }),
      message: redact(message),
      status,
      said: null,
      model: null,
    }
  } finally {
    await transport.close()
  }
}

const tlsCode = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/

function stepOf(error: ModelError): TrialStepName {
  if (error.code === 'endpoint_credentials') return 'authorisation'
  if (error.code !== 'endpoint_unreachable') return 'answer'
  return tlsCode.test(codeOf(error.cause)) ? 'tls' : 'connection'
}

/** Failures that come only after the endpoint has accepted the key. */
const failuresAfterAuthorisation: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  'bad_request',
  'context_too_long',
  'model_unknown',
  'rate_limited',
  'quota_exceeded',
  'stream_cut',
  'answer_too_large',
])

function stepsUpTo(
  last: TrialStepName,
  { state, isTls, error }: { state: TrialStepState; isTls: boolean; error?: ModelError },
): Pick<TrialResult, 'steps' | 'isOk'> {
  const end = trialSteps.indexOf(last)
  const isKeyUncertain = error !== undefined && last === 'answer' && !failuresAfterAuthorisation.has(error.code)
  const steps = trialSteps.map((name, at): TrialStep => {
    if (name === 'tls' && !isTls) return { name, state: 'skipped' }
    if (at === end) return { name, state }
    if (at > end) return { name, state: 'unknown' }
    return { name, state: name === 'authorisation' && isKeyUncertain ? 'unknown' : 'ok' }
  })
  return { steps, isOk: state === 'ok' }
}

function codeOf(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Why there was no connection: the message of the operating system. */
function reasonOf({ code, cause }: ModelError, redact: (words: string) => string): string {
  if (code !== 'endpoint_unreachable' || !(cause instanceof Error)) return ''
  return redact(cause.message || codeOf(cause)).slice(0, answerCharactersMax)
}
