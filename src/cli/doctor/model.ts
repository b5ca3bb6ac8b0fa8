/** Does the model endpoint answer, with this key, and does it have the model? */
import type { Settings } from '../../config/settings.ts'
import { addressOf, type EndpointAddress } from '../../models/compatible/endpoint.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

const answerMs = 5_000

export async function checkModel(settings: Settings): Promise<Finding> {
  const baseUrl = settings.get('SERVICE_LLM_GATEWAY_URL')
  if (baseUrl === '') {
    return warning(
      'model',
      'no endpoint is configured: the demonstration model answers',
      'service settings set SERVICE_LLM_GATEWAY_URL http://…/v1',
    )
  }
  const model = settings.get('SERVICE_LLM_MODEL')
  const address = addressOf({ baseUrl, apiKey: settings.get('SERVICE_LLM_API_KEY'), model })
  let answer: Response
  try {
    answer = await fetch(`${address.origin}${modelsPath(address)}`, {
      headers: headersOf(address),
      signal: AbortSignal.timeout(answerMs),
    })
  } catch (error) {
    return failed(
      'model',
      `the endpoint cannot be reached: ${address.redact(reason(error))}`,
      'Is it running? Is SERVICE_LLM_GATEWAY_URL right?',
    )
  }
  if (answer.status === 401 || answer.status === 403) {
    return failed(
      'model',
      `the endpoint refuses the key (${answer.status})`,
      'service settings set SERVICE_LLM_API_KEY - reads it from standard input',
    )
  }
  if (!answer.ok) {
    return warning(
      'model',
      `the endpoint has no list of models (${answer.status})`,
      'Some have none; send a chat request to be sure.',
    )
  }
  return await checkName(answer, model)
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

async function checkName(answer: Response, wanted: string): Promise<Finding> {
  const body = (await answer.json().catch(() => null)) as { data?: { id?: unknown }[] } | null
  const names = Array.isArray(body?.data) ? body.data.map((model) => String(model?.id)) : []
  if (wanted === '' || names.length === 0 || names.includes(wanted))
    return ok('model', `the endpoint answers${wanted ? `, model ${wanted}` : ''}`)
  return failed(
    'model',
    `the endpoint does not list the model ${wanted}`,
    `service settings set SERVICE_LLM_MODEL to one of ${names.slice(0, 8).join(', ')}`,
  )
}
