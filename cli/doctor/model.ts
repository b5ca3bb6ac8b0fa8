/** Does the chosen model backend answer, does it accept the key, and does it have the model? */
import type { Settings } from '../../config/settings.ts'
import { defaultEndpoint, endpointOfNamed } from '../../models/endpoints/named-endpoint.ts'
import { fallbacksIn } from '../../models/endpoints/plan.ts'
import { ModelError } from '../../models/errors.ts'
import { addressOf, type Endpoint } from '../../models/http/endpoint.ts'
import { listedModels } from '../../models/http/listed-models.ts'
import { chosenProvider, endpointOf, type Provider, providerNames } from '../../models/providers.ts'
import { commandName } from '../../runtime/command-name.ts'
import type { EndpointWithKey } from './database.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

const answerMs = 5_000

/** @param others the endpoints beside the one of the settings */
export async function checkModel(settings: Settings, others: readonly EndpointWithKey[] = []): Promise<Finding[]> {
  const { provider, unknownName } = chosenProvider(settings)
  const enabled = others.filter(({ isEnabled }) => isEnabled)
  const findings = [
    ...(provider.settingKeys || enabled.length === 0 ? [await checkProvider(settings, provider)] : []),
    ...(await Promise.all(enabled.map(checkNamed))),
    ...unknownFallbacks(settings, others),
  ]
  if (unknownName === undefined) return findings
  const unknown = warning(
    'model',
    `SERVICE_LLM_PROVIDER is ${JSON.stringify(unknownName)}, which is no backend: it is ignored`,
    `Set it to one of ${providerNames.join(', ')}, or remove it: ${commandName()} settings unset SERVICE_LLM_PROVIDER`,
  )
  return [unknown, ...findings]
}

async function checkNamed(stored: EndpointWithKey): Promise<Finding> {
  const { name, key, models } = stored
  const label = `endpoint ${name}`
  const keyAdvice = `Reads it from standard input: ${commandName()} secrets set model ${name}`
  if (key === undefined)
    return failed('model', `the key of the ${label} is missing or cannot be opened: it is not asked`, keyAdvice)
  const [model = ''] = models
  const modelAdvice = (names: string) => `Correct its models in the admin UI, Models: it lists ${names}`
  return await checkEndpoint({ ...endpointOfNamed({ ...stored, key }), model }, { label, keyAdvice, modelAdvice })
}

function unknownFallbacks(settings: Settings, others: readonly EndpointWithKey[]): Finding[] {
  const known = new Set([defaultEndpoint, ...others.map(({ name }) => name)])
  const unknown = fallbacksIn(settings.get('SERVICE_LLM_FALLBACKS')).filter(({ endpoint }) => !known.has(endpoint))
  if (unknown.length === 0) return []
  const names = unknown.map(({ endpoint }) => endpoint).join(', ')
  const advice = `Name others (${[...known].join(', ')}), or remove it: ${commandName()} settings unset SERVICE_LLM_FALLBACKS`
  return [warning('model', `SERVICE_LLM_FALLBACKS names no endpoint with ${names}: it is passed over`, advice)]
}

async function checkProvider(settings: Settings, provider: Provider): Promise<Finding> {
  if (!provider.settingKeys) {
    return warning(
      'model',
      'no endpoint is configured: the demonstration model answers',
      `Name one, such as: ${commandName()} settings set SERVICE_LLM_GATEWAY_URL http://127.0.0.1:11434/v1`,
    )
  }
  const endpoint = endpointOf(provider, settings)
  if (endpoint.baseUrl === '') {
    return failed(
      'model',
      `the ${provider.kind} backend is chosen but has no address: every call fails`,
      `Give it one, such as: ${commandName()} settings set ${provider.settingKeys.url} https://models.example.com/v1`,
    )
  }
  const { settingKeys, kind } = provider
  return await checkEndpoint(endpoint, {
    label: `${kind} endpoint`,
    keyAdvice: `Reads it from standard input: ${commandName()} settings set ${settingKeys.key} -`,
    modelAdvice: (names) => {
      const [first = ''] = names.split(', ')
      // What an endpoint says is printed as a command only where a shell reads it as one word.
      if (!/^[\w./:@+-]+$/.test(first)) return `Set ${settingKeys.model} to one that it lists: ${names}`
      return `It lists ${names}. To have the first: ${commandName()} settings set ${settingKeys.model} ${first}`
    },
  })
}

interface Described {
  label: string
  keyAdvice: string
  /** @param names of the models that it lists */
  modelAdvice(names: string): string
}

async function checkEndpoint(endpoint: Endpoint, described: Described): Promise<Finding> {
  const { label, keyAdvice } = described
  try {
    return checkName(await listedModels(endpoint, AbortSignal.timeout(answerMs)), endpoint, described)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const { code, upstreamStatus: status } = error
    if (code === 'endpoint_credentials') return failed('model', `the ${label} refuses the key (${status})`, keyAdvice)
    if (code !== 'endpoint_unreachable')
      return warning(
        'model',
        `the ${label} has no list of models (${status ?? error.message})`,
        'Some endpoints have none; send a chat request to be sure.',
      )
    const { redact } = addressOf(endpoint, 'chat')
    return failed(
      'model',
      `the ${label} cannot be reached: ${redact(reason(error.cause))}`,
      `Is it running? Is ${endpoint.settingKeys.url} right?`,
    )
  }
}

function checkName(names: readonly string[], { model }: Endpoint, { label, modelAdvice }: Described): Finding {
  if (model === '' || names.length === 0 || names.includes(model))
    return ok('model', `the ${label} answers${model ? `, model ${model}` : ''}`)
  return failed('model', `the ${label} does not list the model ${model}`, modelAdvice(names.slice(0, 8).join(', ')))
}
