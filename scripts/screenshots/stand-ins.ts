/** Stand-ins for everything outside the service: a scripted model, the API of a shop, and receivers of answers. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { dialogs, type Step } from './dialogs.ts'

export interface StandIns {
  /** `127.0.0.1:1234`. */
  host: string
  close(): void
}

interface ChatRequest {
  stream?: boolean
  messages: { role: string; content: unknown }[]
}

/** The pace of a usual model. */
const thinkMs = 250
const wordMs = 20
const model = 'local-large'

export async function startStandIns(): Promise<StandIns> {
  const server = createServer((request, response) => {
    answer(request, response, host).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, host: string): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const [, place, id] = (request.url ?? '').split('/')
  if (request.url === '/v1/models') json(response, { object: 'list', data: [{ id: model, object: 'model' }] })
  else if (place === 'v1') await talk(JSON.parse(Buffer.concat(parts).toString('utf8')), response, host)
  else if (place === 'busy') response.writeHead(503, { 'retry-after': '3600' }).end()
  else if (place === 'gone') response.writeHead(410).end()
  else if (place === 'answers') response.writeHead(204).end()
  else json(response, { id: Number(id ?? 1), status: 'on its way', sum: '24.90', currency: 'EUR' })
}

async function talk(request: ChatRequest, response: ServerResponse, host: string): Promise<void> {
  const at = request.messages.findLastIndex(({ role }) => role === 'user')
  const lastMessage = JSON.stringify(request.messages[at]?.content ?? '')
  const dialog = dialogs.find(({ text }) => lastMessage.includes(text))
  const done = request.messages.slice(at).filter(({ role }) => role === 'assistant').length
  const step: Step = dialog?.steps[done] ?? { say: 'Gladly.' }
  await wait(thinkMs)
  if ('refuse' in step)
    json(response, { error: { message: 'the model is not loaded', type: 'api_error' } }, step.refuse)
  else if (request.stream) await stream(step, response, host)
  else
    json(response, {
      ...head('chat.completion'),
      choices: [{ ...choice(step), message: messageOf(step, host) }],
      usage,
    })
}

const usage = { prompt_tokens: 412, completion_tokens: 58, total_tokens: 470 }
const head = (object: string) => ({ id: 'chatcmpl-1', object, created: 1_790_000_000, model })
type Spoken = Exclude<Step, { refuse: number }>
const choice = (step: Spoken) => ({ index: 0, logprobs: null, finish_reason: 'calls' in step ? 'tool_calls' : 'stop' })

function messageOf(step: Spoken, host: string): object {
  if ('say' in step) return { role: 'assistant', content: step.say }
  const calls = step.calls.map(({ name, arguments: input }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input).replace('http://host/', `http://${host}/`) },
  }))
  return { role: 'assistant', content: null, tool_calls: calls }
}

async function stream(step: Spoken, response: ServerResponse, host: string): Promise<void> {
  const event = (data: unknown) => response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const delta = (delta: object) =>
    event({ ...head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: null }] })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if ('say' in step) {
    for (const word of step.say.split(/(?<= )/)) {
      delta({ content: word })
      await wait(wordMs)
    }
  } else delta(messageOf(step, host))
  event({ ...head('chat.completion.chunk'), choices: [{ ...choice(step), delta: {} }] })
  event({ ...head('chat.completion.chunk'), choices: [], usage })
  event('[DONE]')
  response.end()
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
