/** A model endpoint as a request describes it: one that is configured, with what the request puts in its place. */
import { z } from 'zod'
import { compatible } from '../../../models/compatible.ts'
import { endpointOfNamed } from '../../../models/endpoints/named-endpoint.ts'
import type { Endpoint } from '../../../models/http/endpoint.ts'
import type { EndpointProvider } from '../../../models/provider.ts'
import { chosenProvider, endpointOf, endpointProviders } from '../../../models/providers.ts'
import { keyOfModelEndpoint, ModelEndpointName, readModelEndpoints } from '../../../store/model-endpoints.ts'
import { readSecret } from '../../../store/secrets.ts'
import type { Principal } from '../../access.ts'
import type { App } from '../../app.ts'
import { ApiError, badRequest, notFound } from '../../error.ts'
import { ownerOnlyRefusals } from '../settings/may-change.ts'

export const Provider = z.enum(endpointProviders.map(({ kind }) => kind))

export const AskedEndpointBody = z.strictObject({
  endpoint: ModelEndpointName.optional().describe('By default the one of the settings SERVICE_LLM_*.'),
  provider: Provider.optional(),
  gateway_url: z.string().max(2_000).optional().describe('By default the configured address.'),
  model: z.string().max(256).optional(),
  key: z
    .string()
    .max(8_192)
    .optional()
    .describe('By default the configured key, which is sent only to the origin of the configured address.'),
})

export interface AskedEndpoint {
  provider: EndpointProvider
  endpoint: Endpoint
}

/**
 * @returns a message where the address is wrong
 * @throws ApiError for an unknown name, no address at all, and an address that the caller may not have called
 */
export async function askedEndpoint(
  app: App,
  principal: Principal,
  body: z.infer<typeof AskedEndpointBody>,
): Promise<AskedEndpoint | string> {
  const configured = body.endpoint === undefined ? ofSettings(app, body) : await ofStored(app, body.endpoint, body)
  const { provider, endpoint: current } = configured
  const baseUrl = (body.gateway_url ?? current.baseUrl).trim()
  if (baseUrl === '') throw badRequest('No address is given, and none is configured.', 'gateway_url')
  const wrong = wrongAddress(baseUrl)
  if (wrong !== undefined) return wrong
  if (baseUrl !== current.baseUrl && ownerOnlyRefusals(principal, ['SERVICE_LLM_GATEWAY_URL']).length > 0)
    throw new ApiError('forbidden', 'Only an owner can have another address than the configured one called.', {
      param: 'gateway_url',
    })
  // The configured key goes only to its own origin: nobody can get it by naming another address.
  const isOwn = current.baseUrl !== '' && new URL(current.baseUrl).origin === new URL(baseUrl).origin
  const apiKey = body.key ?? (isOwn ? current.apiKey : '')
  return { provider, endpoint: { ...current, baseUrl, apiKey, model: body.model ?? current.model } }
}

/** @returns what is wrong with it; undefined: nothing */
export function wrongAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return 'This is not an absolute address.'
  const { protocol } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://.'
  return undefined
}

function ofSettings({ settings }: App, body: { provider?: string | undefined }): AskedEndpoint {
  const configured = chosenProvider(settings).provider
  const provider = named(body.provider) ?? (configured.settingKeys ? configured : compatible)
  return { provider, endpoint: endpointOf(provider, settings) }
}

async function ofStored(
  { db, masterKey }: App,
  name: string,
  body: { provider?: string | undefined },
): Promise<AskedEndpoint> {
  const stored = (await readModelEndpoints(db)).find((each) => each.name === name)
  if (!stored) throw notFound(`There is no model endpoint ${name}.`, 'endpoint')
  const key = stored.hasKey ? await readSecret(db, masterKey, keyOfModelEndpoint(name)) : undefined
  const [model = ''] = stored.models
  return {
    provider: named(body.provider ?? stored.provider) ?? compatible,
    endpoint: { ...endpointOfNamed({ ...stored, key: key ?? '' }), model },
  }
}

const named = (name: string | undefined): EndpointProvider | undefined =>
  endpointProviders.find(({ kind }) => kind === name)
