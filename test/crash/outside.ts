/** The world around the service in a crash test: a model, an application that gets the answers, and one that keeps count of effects. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'
import { type AskedMessage, type ModelWord, modelWord } from './scripted-model.ts'

export interface ReceivedDelivery {
  deliveryId: string
  messageId: string
  externalId: string
  text: string
}

/** A call that came in, whatever the service heard of it. */
export interface MadeEffect {
  round: number
  text: string
  idempotencyKey: string
}

/** What the model endpoint has counted itself. */
export interface ModelCounts {
  /** Calls that came in, answered or not. */
  asked: number
  /** Of answers that it has begun. */
  tokensIn: number
  tokensOut: number
}

export interface Outside {
  modelUrl: string
  webhookUrl: string
  /** Host and port, for the allowlist. */
  effectsHost: string
  /** Every delivery that the application said 200 to, in order. */
  received: ReceivedDelivery[]
  effects: MadeEffect[]
  /** How many messages of this sender have their answers. */
  answered(externalId: string): number
  /** Texts of messages in whose turn the model was told that an effect is not known. */
  toldUnknown: Set<string>
  modelCounts: ModelCounts
  close(): Promise<void>
}

/** Milliseconds that the model thinks at most, before it begins and between two pieces, and that an effect takes. */
const thinkMsMax = 60
const pieceCharacters = 40

export async function outside(random: Random): Promise<Outside> {
  const received: ReceivedDelivery[] = []
  const effects: MadeEffect[] = []
  const answeredBy = new Map<string, Set<string>>()
  const toldUnknown = new Set<string>()
  const modelCounts: ModelCounts = { asked: 0, tokensIn: 0, tokensOut: 0 }
  const applied = await serve(async (_body, response, request) => {
    const [, round, text] = /^\/(\d+)\/(.*)$/.exec(request.url ?? '') ?? []
    const idempotencyKey = String(request.headers['idempotency-key'])
    effects.push({ round: Number(round), text: decodeURIComponent(text ?? ''), idempotencyKey })
    await wait(random.next() * thinkMsMax)
    response.writeHead(200, { 'content-type': 'text/plain' }).end('done')
  })
  const model = await serve(async (body, response) => {
    const modelRequest = JSON.parse(body) as { messages: AskedMessage[]; stream?: boolean; tools?: object[] }
    if (modelRequest.messages.some(({ role, content }) => role === 'tool' && /is not known/.test(content ?? '')))
      toldUnknown.add(modelRequest.messages.findLast(({ role }) => role === 'user')?.content ?? '')
    modelCounts.asked++
    await wait(random.next() * thinkMsMax)
    const reply = modelWord(applied.url, modelRequest.messages, modelRequest.tools !== undefined)
    const usage = usageOf(body, reply)
    modelCounts.tokensIn += usage.prompt_tokens
    modelCounts.tokensOut += usage.completion_tokens
    if (modelRequest.stream !== true) return sayWhole(response, reply, usage)
    await sayStreamed(response, reply, { random, usage })
  })
  const application = await serve(async (body, response) => {
    const { data } = JSON.parse(body) as { data: Record<string, string> }
    const luck = random.next()
    // One in fifty is refused for the moment, and as many are taken while their sender hears nothing of it.
    if (luck < 0.02) {
      response.writeHead(503, { 'retry-after': '0' }).end()
      return
    }
    const { delivery_id: deliveryId = '', message_id: messageId = '', external_id: externalId = '', text = '' } = data
    received.push({ deliveryId, messageId, externalId, text })
    answeredBy.set(externalId, (answeredBy.get(externalId) ?? new Set()).add(messageId))
    if (luck < 0.04) response.destroy()
    else response.writeHead(204).end()
  })
  return {
    modelUrl: `${model.url}/v1`,
    webhookUrl: `${application.url}/answers`,
    effectsHost: new URL(applied.url).host,
    ...{ received, effects, toldUnknown, modelCounts },
    answered: (externalId) => answeredBy.get(externalId)?.size ?? 0,
    async close() {
      await Promise.all([model.close(), application.close(), applied.close()])
    },
  }
}

const base = { id: 'c', created: 1, model: 'm' }

function callsOf(word: ModelWord): object[] {
  if ('text' in word) return []
  return word.calls.map((call, index) => ({
    ...{ index, id: `call_${index}`, type: 'function' },
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }))
}

/** Not what they are, but the same to whoever counts. */
function usageOf(request: string, word: ModelWord) {
  const [prompt_tokens, completion_tokens] = [request.length, JSON.stringify(word).length]
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
type ModelUsage = ReturnType<typeof usageOf>

function sayWhole(response: ServerResponse, word: ModelWord, usage: ModelUsage): void {
  const calls = callsOf(word)
  const message = {
    ...{ role: 'assistant', content: 'text' in word ? word.text : null },
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...base, object: 'chat.completion', choices: [choice], usage }))
}

async function sayStreamed(
  response: ServerResponse,
  word: ModelWord,
  { random, usage }: { random: Random; usage: ModelUsage },
): Promise<void> {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const calls = callsOf(word)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of 'text' in word ? piecesOf(word.text) : ['']) {
    response.write(chunk({ role: 'assistant', content }))
    await wait(random.next() * thinkMsMax)
  }
  if (calls.length > 0) response.write(chunk({ tool_calls: calls }))
  const counted = `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`
  response.end(`${chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')}${counted}data: [DONE]\n\n`)
}

/** A short first one, and then long ones; no character is cut. */
function piecesOf(text: string): string[] {
  const characters = [...text]
  const pieces = [characters.slice(0, 4).join('')]
  for (let at = 4; at < characters.length; at += pieceCharacters)
    pieces.push(characters.slice(at, at + pieceCharacters).join(''))
  return pieces
}

async function serve(
  answer: (body: string, response: ServerResponse, request: IncomingMessage) => Promise<void> | void,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    void textOf(request)
      .then((body) => answer(body, response, request))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
