/** A transport to the scripted endpoint, and calls on it whose deltas the test reads. */
import { onTestFinished } from 'vitest'
import { openSettings } from '../../../config/settings.ts'
import { compatible } from '../../../models/compatible.ts'
import { ModelError } from '../../../models/errors.ts'
import type { ApiStyleName, Endpoint } from '../../../models/http/endpoint.ts'
import type { CallLimits } from '../../../models/http/endpoint-calls.ts'
import { native } from '../../../models/native.ts'
import type { EndpointProvider } from '../../../models/provider.ts'
import { subscription } from '../../../models/subscription.ts'
import type { ModelDelta, ModelRequest, ModelTransport } from '../../../models/transport.ts'
import type { TokenCounter } from '../../../models/usage.ts'
import type { Log } from '../../../runtime/log/log.ts'
import { type Random, seededRandom } from '../../../runtime/random.ts'
import type { Tracer } from '../../../runtime/telemetry/trace.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import { type ModelEndpoint, modelEndpoint } from '../../support/model-endpoint.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

/** One token a word: estimates that a test can count by hand. */
export const wordCounter: TokenCounter = {
  count: async (texts) => texts.map((text) => text.split(/\s+/).filter((word) => word !== '').length),
  async close() {},
}

export async function scriptedEndpoint(): Promise<ModelEndpoint> {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  return endpoint
}

export interface TransportOptions extends Partial<CallLimits>, Partial<Endpoint> {
  clock?: Clock
  random?: Random
  tracer?: Tracer
  log?: Log
}

export function transportTo(endpoint: { url: string }, options: TransportOptions = {}): ModelTransport {
  return opened(compatible, endpoint, options)
}

export function nativeTo(
  endpoint: { url: string },
  { style = '', ...options }: TransportOptions & { style?: ApiStyleName | '' } = {},
): ModelTransport {
  return opened(native, endpoint, { ...options, environment: { SERVICE_NATIVE_API: style } })
}

export function subscriptionTo(
  endpoint: { url: string },
  {
    outputTokensMax = 0,
    effort = 'low',
    ...options
  }: TransportOptions & { outputTokensMax?: number; effort?: string } = {},
): ModelTransport {
  const environment = {
    SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS: String(outputTokensMax),
    SERVICE_SUBSCRIPTION_REASONING_EFFORT: effort,
  }
  return opened(subscription, endpoint, { ...options, environment })
}

function opened(
  provider: EndpointProvider,
  endpoint: { url: string },
  options: TransportOptions & { environment?: Record<string, string> },
): ModelTransport {
  const { baseUrl = endpoint.url, apiKey = 'model-key', model = '' } = options
  const { retries = 0, timeoutMs = 0, temperature, topP, environment = {} } = options
  const { clock = systemClock, random = seededRandom(1), tracer, log } = options
  const style = provider.styleKey ? (environment[provider.styleKey] as ApiStyleName) : ''
  return provider.open(
    { baseUrl, apiKey, model, style, settingKeys: provider.settingKeys },
    {
      settings: openSettings({ environment, stored: new Map() }),
      limits: () => ({ retries, timeoutMs, temperature, topP }),
      clock,
      random,
      tokens: wordCounter,
      ...(tracer && { tracer }),
      ...(log && { log }),
    },
  )
}

export function requestFor(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'asked-for',
    messages: [{ role: 'user', content: 'hello there' }],
    parameters: {},
    signal: new AbortController().signal,
    ...more,
  }
}

/** A streamed call with its deltas as they came. */
export function streaming(transport: ModelTransport, more: Partial<ModelRequest> = {}) {
  const deltas: ModelDelta[] = []
  const call = transport.stream(requestFor(more), {
    delta(delta) {
      deltas.push(delta)
      return true
    },
  })
  call.done.catch(() => {})
  return { deltas, ...call, text: () => textIn(deltas) }
}

export function textIn(deltas: readonly ModelDelta[], choice = 0): string {
  return deltas.map((delta) => (delta.kind === 'text' && delta.choice === choice ? delta.text : '')).join('')
}

/** The failure of a call, which must be a ModelError. */
export async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ModelError)) throw error
  return error
}

/** Waits for what sockets and timers bring about, turn of the loop by turn; the test's own timeout is the bound. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

/** Lets virtual time pass until the condition holds: for waits that begin when a socket says so. */
export async function passing(clock: VirtualClock, condition: () => boolean, stepMs = 1_000): Promise<void> {
  while (!condition()) await clock.advance(stepMs)
}

/** The tool calls of a stream put together as a client does it: by index, ids and names by their first piece. */
export function toolCallsIn(deltas: readonly ModelDelta[]): { id: string; name: string; arguments: string }[] {
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const delta of deltas) {
    if (delta.kind !== 'raw' || !Array.isArray(delta.delta['tool_calls'])) continue
    for (const { index, id, function: called } of delta.delta['tool_calls']) {
      calls[index] ??= { id: '', name: '', arguments: '' }
      const call = calls[index]
      if (!call) continue
      if (id) call.id = id
      call.name += called?.name ?? ''
      call.arguments += called?.arguments ?? ''
    }
  }
  return calls
}
