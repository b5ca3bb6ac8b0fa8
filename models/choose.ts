/** The transport that answers now: of the provider that the settings choose. Follows live settings. */
import type { SettingKey } from '../config/catalogue.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { CallLimits } from './http/endpoint-calls.ts'
import { chosenProvider, endpointOf, providerNames, providers } from './providers.ts'
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

/** A change of these opens another transport; every other setting is read at each call. */
const transportKeys = new Set<SettingKey>(
  providers.flatMap(({ choosingKeys, settingKeys }) => [...choosingKeys, ...Object.values(settingKeys ?? {})]),
)

export function modelChooser(dependencies: ModelDependencies): ModelChooser {
  const { settings, log } = dependencies
  const tokens = tokenCounter(dependencies)
  const closing = new Set<Promise<void>>()
  let transport = open()

  const stopListening = settings.onChange((changed) => {
    if (![...changed].some((key) => transportKeys.has(key))) return
    const previous = transport
    transport = open()
    log.info({ from: previous.name, to: transport.name }, 'the model endpoint was changed')
    // Calls under way end where they began.
    const closed = previous
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the connections to the previous model endpoint closed badly'),
      )
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  })

  function open(): ModelTransport {
    const { provider, unknownName } = chosenProvider(settings)
    if (unknownName !== undefined)
      log.warn(
        { provider: unknownName, allowed: ['', ...providerNames], using: provider.kind },
        'SERVICE_LLM_PROVIDER names no provider and counts as blank',
      )
    const options = { ...dependencies, tokens, limits: () => callLimits(settings) }
    if (!provider.settingKeys) return provider.open(options)
    const endpoint = endpointOf(provider, settings)
    if (endpoint.baseUrl !== '') return provider.open(endpoint, options)
    const missing = provider.settingKeys.url
    log.error(
      { provider: provider.kind, missing },
      'the model provider has no address: every call to it will be refused',
    )
    return unconfiguredTransport(provider.kind, missing)
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

function callLimits(settings: Settings): CallLimits {
  return {
    retries: settings.get('SERVICE_LLM_RETRIES'),
    timeoutMs: settings.get('SERVICE_LLM_CALL_TIMEOUT_S') * 1_000,
    temperature: settings.get('SERVICE_LLM_TEMPERATURE'),
    topP: settings.get('SERVICE_LLM_TOP_P'),
  }
}
