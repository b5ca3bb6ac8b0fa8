/** What a provider of models declares: its settings, when the settings choose it, and how it is opened. */
import type { SettingKey, SettingValue } from '../config/catalogue.ts'
import type { Settings } from '../config/settings.ts'
import type { Endpoint } from './http/endpoint.ts'
import type { CallLimits } from './http/endpoint-calls.ts'
import type { EndpointDependencies } from './http/endpoint-transport.ts'
import type { ModelTransport } from './transport.ts'

type TextSetting = { [Key in SettingKey]: SettingValue<Key> extends string ? Key : never }[SettingKey]

export interface OpenOptions extends EndpointDependencies {
  settings: Settings
  /** Read at each call. */
  limits: () => CallLimits
}

interface ProviderChoice {
  /** Its value in SERVICE_LLM_PROVIDER; absent: it cannot be named there. */
  readonly name?: string
  /** The settings that `isChosen` reads besides the provider's own address. */
  readonly choosingKeys: readonly SettingKey[]
  /** Asked in the order of the registry. @param name the value of SERVICE_LLM_PROVIDER, in lower case */
  isChosen(settings: Settings, name: string): boolean
}

/** Answers at an address that the operator names. */
export interface EndpointProvider<Kind extends string = string> extends ProviderChoice {
  readonly kind: Kind
  readonly settingKeys: { url: TextSetting; key: TextSetting; model: TextSetting }
  /** Says which style of API the endpoint of the settings has. */
  readonly styleKey?: 'SERVICE_NATIVE_API'
  /** @throws TypeError when the endpoint's URL is none */
  open(endpoint: Endpoint, options: OpenOptions): ModelTransport
}

/** Answers in this process: it has no address, no key and one model. */
export interface BuiltInProvider<Kind extends string = string> extends ProviderChoice {
  readonly kind: Kind
  readonly settingKeys?: undefined
  readonly model: string
  open(options: OpenOptions): ModelTransport
}

export function defineProvider<Kind extends string>(provider: EndpointProvider<Kind>): EndpointProvider<Kind>
export function defineProvider<Kind extends string>(provider: BuiltInProvider<Kind>): BuiltInProvider<Kind>
export function defineProvider(provider: EndpointProvider | BuiltInProvider): EndpointProvider | BuiltInProvider {
  return provider
}
