/** The transport that answers now: of the provider that the settings choose, and of the endpoints beside it. Follows changes. */
import type { SettingKey } from '../config/catalogue.ts'
import type { Settings } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { type EndpointCount, endpointCounts } from './endpoints/endpoint-counts.ts'
import { defaultEndpoint, endpointOfNamed, type NamedEndpoint, type OpenEndpoint } from './endpoints/named-endpoint.ts'
import { fallbacksIn } from './endpoints/plan.ts'
import { routedTransport } from './endpoints/routed-transport.ts'
import type { CallLimits } from './http/endpoint-calls.ts'
import { chosenProvider, endpointOf, endpointProviders, providerNames, providers } from './providers.ts'
import { tokenCounter } from './tokens.ts'
import type { ModelTransport } from './transport.ts'
import { unconfiguredTransport } from './unconfigured.ts'
import type { TokenCounter } from './usage.ts'

export interface OfferedModel {
  name: string
  endpoint: string
}

export interface ModelChooser {
  current(): ModelTransport
  /** The models that are listed, in the order of their endpoints, each with the first that lists it. */
  offered(): OfferedModel[]
  /** The first endpoint has no model of its own: it judges every name that is not listed. */
  readonly takesAnyName: boolean
  readonly tokens: TokenCounter
  /** Calls to each endpoint since the last time, and those that it failed. */
  takeCounts(): EndpointCount[]
  /** The endpoints beside the one of the settings, in their order; replaces those of the last call. */
  use(named: readonly NamedEndpoint[]): void
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
  const { settings, log, clock } = dependencies
  const tokens = tokenCounter(dependencies)
  const closing = new Set<Promise<void>>()
  const counts = endpointCounts()
  const options = { ...dependencies, tokens, limits: () => callLimits(settings) }
  let named: { config: NamedEndpoint; transport: ModelTransport }[] = []
  let byDefault = openDefault()
  let current = routed()

  const stopListening = settings.onChange((changed) => {
    const isElsewhere = [...changed].some((key) => transportKeys.has(key))
    if (!isElsewhere && !changed.has('SERVICE_LLM_FALLBACKS')) return
    const previous = byDefault
    if (isElsewhere) byDefault = openDefault()
    current = routed()
    if (!isElsewhere) return
    log.info({ from: previous.name, to: byDefault.name }, 'the model endpoint was changed')
    retire(previous)
  })

  function openDefault(): ModelTransport {
    const { provider, unknownName } = chosenProvider(settings)
    if (unknownName !== undefined)
      log.warn(
        { provider: unknownName, allowed: ['', ...providerNames], using: provider.kind },
        'SERVICE_LLM_PROVIDER names no provider and counts as blank',
      )
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

  /** In their order. The demonstration model is for those who have no other. */
  function endpoints(): OpenEndpoint[] {
    const { provider, model } = chosenProvider(settings)
    const others = named.map(({ config: { name, models }, transport }): OpenEndpoint => ({ name, models, transport }))
    if (!provider.settingKeys && others.length > 0) return others
    return [{ name: defaultEndpoint, models: model === '' ? [] : [model], transport: byDefault }, ...others]
  }

  /** Without others the one of the settings answers every call as it comes. */
  function routed(): ModelTransport {
    if (named.length === 0) return counts.counted(defaultEndpoint, byDefault)
    return routedTransport({
      endpoints: endpoints().map((each) => ({ ...each, transport: counts.counted(each.name, each.transport) })),
      fallbacks: fallbacksIn(settings.get('SERVICE_LLM_FALLBACKS')),
      timeoutMs: () => callLimits(settings).timeoutMs,
      clock,
      log,
    })
  }

  function openNamed(config: NamedEndpoint): ModelTransport {
    const provider = endpointProviders.find(({ kind }) => kind === config.provider)
    if (provider) return provider.open(endpointOfNamed(config), options)
    log.error(
      { endpoint: config.name, provider: config.provider },
      'this version does not know the provider of a model endpoint',
    )
    return unconfiguredTransport(config.name, `its provider ${config.provider}`)
  }

  /** Calls under way end where they began. */
  function retire(transport: ModelTransport): void {
    const closed = transport
      .close()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the connections to the previous model endpoint closed badly'),
      )
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  }

  return {
    current: () => current,
    tokens,
    takeCounts: () => counts.take(),
    offered() {
      const listed = endpoints().flatMap(({ name: endpoint, models }) => models.map((name) => ({ name, endpoint })))
      const seen = new Set<string>()
      return listed.filter(({ name }) => !seen.has(name) && seen.add(name))
    },
    get takesAnyName() {
      return endpoints()[0]?.models.length === 0
    },
    use(configs) {
      const previous = named
      named = configs.map((config) => {
        const same = previous.find((each) => isSamePlace(each.config, config))
        return { config, transport: same?.transport ?? openNamed(config) }
      })
      current = routed()
      for (const { transport } of previous) {
        if (!named.some((each) => each.transport === transport)) retire(transport)
      }
    },
    async close() {
      stopListening()
      await Promise.all([...closing, byDefault.close(), ...named.map(({ transport }) => transport.close())])
      await tokens.close()
    },
  }
}

function isSamePlace(one: NamedEndpoint, other: NamedEndpoint): boolean {
  return one.name === other.name && one.provider === other.provider && one.url === other.url && one.key === other.key
}

function callLimits(settings: Settings): CallLimits {
  return {
    retries: settings.get('SERVICE_LLM_RETRIES'),
    timeoutMs: settings.get('SERVICE_LLM_CALL_TIMEOUT_S') * 1_000,
    temperature: settings.get('SERVICE_LLM_TEMPERATURE'),
    topP: settings.get('SERVICE_LLM_TOP_P'),
  }
}
