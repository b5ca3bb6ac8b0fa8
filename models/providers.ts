/** The providers of models, and which of them the settings choose. To add one: a file with `defineProvider`, and a line here. */
import type { Settings } from '../config/settings.ts'
import { compatible } from './compatible.ts'
import { demonstration } from './demonstration.ts'
import type { Endpoint } from './http/endpoint.ts'
import { native } from './native.ts'
import type { EndpointProvider } from './provider.ts'
import { subscription } from './subscription.ts'

/** In the order in which they are asked whether the settings choose them; the last one always says yes. */
export const providers = [subscription, compatible, native, demonstration] as const

export type Provider = (typeof providers)[number]

/** Those that are reached over the network. */
export const endpointProviders = providers.filter((provider) => provider.settingKeys !== undefined)

/** What SERVICE_LLM_PROVIDER may be besides blank. */
export const providerNames = providers.flatMap(({ name }) => name ?? []).sort()

export interface ChosenProvider {
  provider: Provider
  /** Sent on every turn that was routed to no other model; blank: the one that the request names. */
  model: string
  /** The value of SERVICE_LLM_PROVIDER, where it is no provider's name: it counts as blank. */
  unknownName?: string
}

export function chosenProvider(settings: Settings): ChosenProvider {
  const name = settings.get('SERVICE_LLM_PROVIDER').trim()
  const isKnown = name === '' || providerNames.some((known) => known === name.toLowerCase())
  const provider = providers.find((each) => each.isChosen(settings, name.toLowerCase())) ?? demonstration
  const model = provider.settingKeys ? endpointOf(provider, settings).model : provider.model
  return { provider, model, ...(!isKnown && { unknownName: name }) }
}

/** Whether calls go to an endpoint; else the demonstration model answers, or calls are refused. */
export function hasEndpoint(settings: Settings): boolean {
  const { provider } = chosenProvider(settings)
  return provider.settingKeys !== undefined && settings.get(provider.settingKeys.url) !== ''
}

/** The provider's endpoint as it is set; without an address `baseUrl` is blank. */
export function endpointOf({ settingKeys, styleKey }: EndpointProvider, settings: Settings): Endpoint {
  return {
    baseUrl: settings.get(settingKeys.url),
    apiKey: settings.get(settingKeys.key),
    model: settings.get(settingKeys.model) || settings.get('SERVICE_LLM_MODEL'),
    style: styleKey ? settings.get(styleKey) : '',
    settingKeys,
  }
}
