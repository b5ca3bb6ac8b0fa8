/** Does the model backend that the settings choose answer, with this key, and does it have the model? */
import type { Settings } from '../../config/settings.ts'
import { addressOf, type Endpoint, type EndpointAddress } from '../../models/http/endpoint.ts'
import { type Provider, providerOf } from '../../models/provider.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

const answerMs = 5_000

/** Where each backend that is asked over the network has its address, key and model. */
const settingsOf = {
  compatible: { url: 'SERVICE_LLM_GATEWAY_URL', key: 'SERVICE_LLM_API_KEY', model: 'SERVICE_LLM_MODEL' },
  native: { url: 'SERVICE_NATIVE_BASE_URL', key: 'SERVICE_NATIVE_API_KEY', model: 'SERVICE_NATIVE_MODEL' },
  subscription: {
    url: 'SERVICE_SUBSCRIPTION_BASE_URL',
    key: 'SERVICE_SUBSCRIPTION_ACCESS_TOKEN',
    model: 'SERVICE_SUBSCRIPTION_MODEL',
  },
} as const

type Backend = (typeof settingsOf)[keyof typeof settingsOf]

export async function checkModel(settings: Settings): Promise<Finding[]> {
  const provider = providerOf(settings)
  const finding = await checkProvider(settings, provider)
  if (provider.unknownName === undefined) return [finding]
  const unknown = warning(
    'model',
    `SERVICE_LLM_PROVIDER is ${JSON.stringify(provider.unknownName)}, which is no backend: it counts as blank`,
    'service settings set SERVICE_LLM_PROVIDER compatible, or subscription, or unset it',
  )
  return [unknown, finding]
}

async function checkProvider(settings: Settings, { kind, model }: Provider): Promise<Finding> {
  if (kind === 'demonstration') {
    return warning(
      'model',
      'no endpoint is configured: the demonstration model answers',
      'service settings set SERVICE_LLM_GATEWAY_URL http://…/v1',
    )
  }
  const backend = settingsOf[kind]
  const baseUrl = settings.get(backend.url)
  if (baseUrl === '') {
    return failed(
      'model',
      `the ${kind} backend is chosen and has no address: every call to it is refused`,
      `service settings set ${backend.url} https://…/v1`,
    )
  }
  return await ask({ baseUrl, apiKey: settings.get(backend.key), model }, kind, backend)
}

async function ask(endpoint: Endpoint, kind: string, backend: Backend): Promise<Finding> {
  const address = addressOf(endpoint)
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
      `Is it running? Is ${backend.url} right?`,
    )
  }
  if (answer.status === 401 || answer.status === 403) {
    return failed(
      'model',
      `the ${kind} endpoint refuses the key (${answer.status})`,
      `service settings set ${backend.key} - reads it from standard input`,
    )
  }
  if (!answer.ok) {
    return warning(
      'model',
      `the ${kind} endpoint has no list of models (${answer.status})`,
      'Some have none; send a chat request to be sure.',
    )
  }
  return await checkName(answer, endpoint.model, kind, backend)
}

/** Beside the path that chats go to. */
function modelsPath({ path }: EndpointAddress): string {
  return path.replace(/\/chat\/completions(?=$|\?)/, '/models')
}

function headersOf({ headers }: EndpointAddress): Record<string, string> {
  const at = headers.indexOf('authorization')
  const value = headers[at + 1]
  return at < 0 || value === undefined ? {} : { authorization: value }
}

async function checkName(answer: Response, wanted: string, kind: string, backend: Backend): Promise<Finding> {
  const body = (await answer.json().catch(() => null)) as { data?: { id?: unknown }[] } | null
  const names = Array.isArray(body?.data) ? body.data.map((model) => String(model?.id)) : []
  if (wanted === '' || names.length === 0 || names.includes(wanted))
    return ok('model', `the ${kind} endpoint answers${wanted ? `, model ${wanted}` : ''}`)
  return failed(
    'model',
    `the ${kind} endpoint does not list the model ${wanted}`,
    `service settings set ${backend.model} to one of ${names.slice(0, 8).join(', ')}`,
  )
}
