/** Endpoints beside the one of the settings: each has a name, and the models that it is asked for. */
import type { Endpoint } from '../http/endpoint.ts'
import type { ModelTransport } from '../transport.ts'

/** The endpoint of the settings. */
export const defaultEndpoint = 'default'

export interface NamedEndpoint {
  name: string
  /** Of an `EndpointProvider`. */
  provider: string
  url: string
  /** Blank: it wants none. */
  key: string
  /** Names that clients and agents may use. The first is sent where it is asked for a model that it does not list. */
  models: readonly string[]
}

/** One that takes calls. */
export interface OpenEndpoint {
  readonly name: string
  /** Empty: it judges each name itself. */
  readonly models: readonly string[]
  readonly transport: ModelTransport
}

/** Its messages name the endpoint where those of the settings name the setting. */
export function endpointOfNamed({ name, url, key }: NamedEndpoint): Endpoint {
  const settingKeys = { url: `the address of the endpoint ${name}`, key: `the key of the endpoint ${name}` }
  return { baseUrl: url, apiKey: key, model: '', settingKeys }
}
