/** Which transport answers now: a configured endpoint, or the demonstration model. Follows live settings. */
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { compatibleTransport } from './compatible.ts'
import { demonstrationTransport } from './demonstration.ts'
import type { CallLimits } from './http/endpoint-transport.ts'
import { nativeTransport } from './native.ts'
import { providerOf } from './provider.ts'
import { type SubscriptionLimits, subscriptionTransport } from './subscription.ts'
import { tokenCounter } from './tokens.ts'
import type { ModelTransport } from './transport.ts'
import { unconfiguredTransport } from './unconfigured.ts'
import type { TokenCounter } from './usage.ts'

export interface ModelChooser {
  current(): ModelTransport
  readonly tokens: TokenCounter
  /** Resolves when every call under way has ended, on whichever transport. */
  close(): Promise<void>
}

export interface ModelDependencies {
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  metrics?: Metrics
  tracer?: Tracer
}

/** What a transport is made for; the other keys of the group are read at each call. */
const endpointKeys = [
  'SERVICE_LLM_PROVIDER',
  'SERVICE_LLM_GATEWAY_URL',
  'SERVICE_LLM_MODEL',
  'SERVICE_LLM_API_KEY',
] as const

export function modelChooser(world: ModelDependencies): ModelChooser {
  const { settings, log } = world
  const tokens = tokenCounter(world)
  const closing = new Set<Promise<void>>()
  let transport = choose()

  const stopListening = settings.onChange((changed) => {
    if (!endpointKeys.some((key) => changed.has(key))) return
    const before = transport
    transport = choose()
    log.info({ from: before.name, to: transport.name }, 'the model endpoint was changed')
    // Calls under way end where they began.
    const closed = before.close().catch((error: unknown) => log.warn({ err: error }, 'model connections closed badly'))
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  })

  function choose(): ModelTransport {
    const { kind, model, unknownName } = providerOf(settings)
    if (unknownName !== undefined)
      log.warn(
        { provider: unknownName, allowed: ['', 'compatible', 'subscription'], using: kind },
        'SERVICE_LLM_PROVIDER names no provider and counts as blank',
      )
    const around = { ...world, tokens }
    switch (kind) {
      case 'compatible': {
        const baseUrl = settings.get('SERVICE_LLM_GATEWAY_URL')
        return compatibleTransport({ baseUrl, apiKey: settings.get('SERVICE_LLM_API_KEY'), model }, limits, around)
      }
      case 'native': {
        const baseUrl = settings.get('SERVICE_NATIVE_BASE_URL')
        if (baseUrl === '') return unplaced(kind, 'SERVICE_NATIVE_BASE_URL')
        const [apiKey, style] = [settings.get('SERVICE_NATIVE_API_KEY'), settings.get('SERVICE_NATIVE_API')]
        return nativeTransport({ baseUrl, apiKey, model, style }, limits, around)
      }
      case 'subscription': {
        const baseUrl = settings.get('SERVICE_SUBSCRIPTION_BASE_URL')
        if (baseUrl === '') return unplaced(kind, 'SERVICE_SUBSCRIPTION_BASE_URL')
        const apiKey = settings.get('SERVICE_SUBSCRIPTION_ACCESS_TOKEN')
        return subscriptionTransport({ baseUrl, apiKey, model }, subscriptionLimits, around)
      }
      case 'demonstration':
        return demonstrationTransport(world.clock, tokens)
      default:
        return kind satisfies never
    }
  }

  function unplaced(kind: string, missing: string): ModelTransport {
    log.error({ provider: kind, missing }, 'the model backend has no address: every call to it will be refused')
    return unconfiguredTransport(kind, missing)
  }

  function subscriptionLimits(): SubscriptionLimits {
    return {
      ...limits(),
      outputTokensMax: settings.get('SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS'),
      effort: settings.get('SERVICE_SUBSCRIPTION_REASONING_EFFORT'),
    }
  }

  function limits(): CallLimits {
    return {
      retries: settings.get('SERVICE_LLM_RETRIES'),
      timeoutMs: settings.get('SERVICE_LLM_CALL_TIMEOUT_S') * 1_000,
      temperature: settings.get('SERVICE_LLM_TEMPERATURE'),
      topP: settings.get('SERVICE_LLM_TOP_P'),
    }
  }

  return {
    current: () => transport,
    tokens,
    async close() {
      stopListening()
      await Promise.all([...closing, transport.close()])
      await tokens.close()
    },
  }
}
