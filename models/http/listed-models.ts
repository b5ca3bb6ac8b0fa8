/** The names of the models that an endpoint says it has. */
import { ModelError } from '../errors.ts'
import { connectionsTo } from './connections.ts'
import { addressOf, type Endpoint } from './endpoint.ts'
import { malformedAnswer, refusalError, unreachable } from './failures.ts'
import { isRecord } from './fields.ts'

/** The longest lists of hosted models have some thousand names in under a megabyte. */
const answerBytesMax = 2_097_152
const modelsMax = 5_000
const nameCharactersMax = 256

/**
 * Asked once, beside the path of chats. Redirects are not followed.
 * @returns in the endpoint's order, each once
 * @throws ModelError, TypeError where the address is no URL
 */
export async function listedModels(endpoint: Endpoint, signal: AbortSignal): Promise<string[]> {
  const address = addressOf(endpoint, 'chat')
  const connections = connectionsTo(address.origin)
  const at = address.headers.indexOf('authorization')
  try {
    const answer = await connections.dispatcher.request({
      path: address.path.replace(/\/chat\/completions(?=$|\?)/, '/models'),
      method: 'GET',
      headers: ['accept', 'application/json', ...(at < 0 ? [] : address.headers.slice(at, at + 2))],
      signal,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > answerBytesMax) throw malformedAnswer(`a list of models of more than ${answerBytesMax} bytes`)
      chunks.push(chunk)
    }
    const body = parsed(Buffer.concat(chunks).toString())
    const { statusCode: status } = answer
    if (status < 200 || status > 299)
      throw refusalError({ status, body, retryAfterMs: undefined, shouldRetry: undefined, endpoint: address })
    return namesIn(body)
  } catch (error) {
    throw error instanceof ModelError ? error : unreachable(error as Error, address)
  } finally {
    // What is left of an answer that was too long is not waited for.
    await connections.dispatcher.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The convention's `data` with `id`, or `models` with `id` or `name`, as some have it. */
function namesIn(body: unknown): string[] {
  const list = isRecord(body) ? (body['data'] ?? body['models']) : body
  if (!Array.isArray(list)) throw malformedAnswer('no list of models')
  const names = list.slice(0, modelsMax).flatMap((entry: unknown) => {
    const name = isRecord(entry) ? (entry['id'] ?? entry['name']) : entry
    return typeof name === 'string' && name !== '' && name.length <= nameCharactersMax ? [name] : []
  })
  return [...new Set(names)]
}
