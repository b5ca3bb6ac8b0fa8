/** Does the chosen model backend answer, does it accept the key, and does it have the model? */
import type { Settings } from '../../config/settings.ts'
import { addressOf, type Endpoint, type EndpointAddress } from '../../models/http/endpoint.ts'
import type { EndpointProvider } from '../../models/provider.ts'
import { chosenProvider, endpointOf, type Provider, providerNames } from '../../models/providers.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

const answerMs = 5_000

export async function checkModel(settings: Settings): Promise<Finding[]> {
  const { provider, unknownName } = chosenProvider(settings)
  const finding = await checkProvider(settings, provider)
  if (unknownName === undefined) return [finding]
  const unknown = warning(
    'model',
    `SERVICE_LLM_PROVIDER is ${JSON.stringify(unknownName)}, which is no backend: it is ignored`,
    `service settings set SERVICE_LLM_PROVIDER ${providerNames.join(', or ')}, or unset it`,
  )
  return [unknown, finding]
}

async function checkProvider(settings: Settings, provider: Provider): Promise<Finding> {
  if (!provider.settingKeys) {
    return warning(
      'model',
      'no endpoint is configured: the demonstration model answers',
      'service settings set SERVICE_LLM_GATEWAY_URL http://…/v1',
    )
  }
  const endpoint = endpointOf(provider, settings)
  if (endpoint.baseUrl === '') {
    return failed(
      'model',
      `the ${provider.kind} backend is chosen but has no address: every call fails`,
      `service settings set ${provider.settingKeys.url} https://…/v1`,
    )
  }
  return await checkEndpoint(endpoint, provider)
}

async function checkEndpoint(endpoint: Endpoint, provider: EndpointProvider): Promise<Finding> {
  const { kind, settingKeys } = provider
  const address = addressOf(endpoint, 'chat')
  let answer: Response
  try {
    answer = await fetch(`${address.origin}${modelsPath(address)}`, {
      headers: headersOf(address),
      signal: AbortSignal.timeout(answerMs),
    })
  } catch (error) {
    return failed(
      'model',
      `the ${kind} endpoint cannot be reached: ${address.redact(reason(error))}`,
      `Is it running? Is ${settingKeys.url} right?`,
    )
  }
  if (answer.status === 401 || answer.status === 403) {
    return failed(
      'model',
      `the ${kind} endpoint refuses the key (${answer.status})`,
      `service settings set ${settingKeys.key} - reads it from standard input`,
    )
  }
  if (!answer.ok) {
    return warning(
      'model',
      `the ${kind} endpoint has no list of models (${answer.status})`,
      'Some endpoints have none; send a chat request to be sure.',
    )
  }
  return await checkName(answer, endpoint, provider)
}

/** The list of models is beside the path of chats. */
function modelsPath({ path }: EndpointAddress): string {
  return path.replace(/\/chat\/completions(?=$|\?)/, '/models')
}

function headersOf({ headers }: EndpointAddress): Record<string, string> {
  const at = headers.indexOf('authorization')
  const value = headers[at + 1]
  return at < 0 || value === undefined ? {} : { authorization: value }
}

async function checkName(
  answer: Response,
  { model }: Endpoint,
  { kind, settingKeys }: EndpointProvider,
): Promise<Finding> {
  const body = (await answer.json().catch(() => null)) as { data?: { id?: unknown }[] } | null
  const names = Array.isArray(body?.data) ? body.data.map((listed) => String(listed?.id)) : []
  if (model === '' || names.length === 0 || names.includes(model))
    return ok('model', `the ${kind} endpoint answers${model ? `, model ${model}` : ''}`)
  return failed(
    'model',
    `the ${kind} endpoint does not list the model ${model}`,
    `service settings set ${settingKeys.model} to one of ${names.slice(0, 8).join(', ')}`,
  )
}
