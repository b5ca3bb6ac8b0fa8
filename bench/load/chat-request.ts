/** The bytes of a chat request, the same for every contestant but for its headers. */
import type { Endpoint } from './job.ts'

const system =
  'You are the assistant of a logistics company. Answer in the customer’s language, briefly and politely. ' +
  'Never promise a delivery date that is not in the record. When you do not know, say so and offer to ask a colleague.'

const question =
  'Hello, I ordered four pallets of packing paper last week and the confirmation said that they would leave the warehouse on ' +
  'Tuesday. I have not heard anything since. Could you tell me where they are, whether I have to be at the gate myself when ' +
  'the carrier comes, and whom I should call if a pallet is damaged? Thank you very much.'

/** @param more messages behind the question */
export function chatBody(model: string, isStream: boolean, more: readonly object[] = []): string {
  return JSON.stringify({
    model,
    messages: [{ role: 'system', content: system }, { role: 'user', content: question }, ...more],
    temperature: 0.7,
    max_tokens: 512,
    stream: isStream,
  })
}

/** The same as a request of the Responses API, of which nothing is kept. */
export function responsesBody(model: string): string {
  return JSON.stringify({
    ...{ model, instructions: system, input: [{ role: 'user', content: question }] },
    ...{ temperature: 0.7, max_output_tokens: 512, store: false },
  })
}

export function chatRequest(target: Endpoint, body: string, headers: Record<string, string> = {}): Buffer {
  return postRequest('/v1/chat/completions', target, { body, headers })
}

export function postRequest(
  path: string,
  target: Endpoint,
  { body, headers = {} }: { body: string; headers?: Record<string, string> },
): Buffer {
  const all: Record<string, string> = {
    host: `${target.host}:${target.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...target.headers,
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
