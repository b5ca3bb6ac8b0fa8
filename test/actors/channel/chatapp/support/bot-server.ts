/** The bot API of the outside world: a server on a real socket that holds updates as the original does; any call can be scripted. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export const botToken = '987654321:AAtestTOKENofTheScriptedServer-_x1'

export interface BotCall {
  readonly method: string
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever the adapter has sent
  readonly body: any
  readonly response: ServerResponse
  /** True once the client has hung up. */
  readonly isAborted: boolean
  ok(result: unknown): void
  refuse(code: number, description: string, more?: object): void
  raw(status: number, body: string, headers?: Record<string, string>): void
  cut(): void
}

export type BotAnswer = (call: BotCall) => void | Promise<void>

export interface BotServer {
  readonly url: string
  readonly calls: readonly BotCall[]
  of(method: string): BotCall[]
  /** The next calls of a method get these; further ones what a bot API says. */
  script(method: string, ...answers: BotAnswer[]): void
  always(method: string, answer: BotAnswer): void
  /** Something happens in a chat. */
  push(...updates: unknown[]): void
  /** Updates that are not yet confirmed. */
  readonly held: number
  close(): Promise<void>
}

export async function botServer(): Promise<BotServer> {
  const sockets = new Set<Socket>()
  const calls: BotCall[] = []
  const scripts = new Map<string, BotAnswer[]>()
  const always = new Map<string, BotAnswer>()
  const waiting = new Set<() => void>()
  let updates: unknown[] = []
  let messages = 100

  function getUpdates(call: BotCall): void {
    const { offset, limit = 100 } = call.body
    if (offset !== undefined) updates = updates.filter((update) => (idOf(update) ?? offset) >= offset)
    const answerPoll = () => {
      if (updates.length === 0 && !call.isAborted) return
      waiting.delete(answerPoll)
      if (!call.isAborted) call.ok(updates.slice(0, limit))
    }
    waiting.add(answerPoll)
    answerPoll()
  }

  const usual: Record<string, BotAnswer> = {
    getMe: (call) => call.ok({ id: 987_654_321, is_bot: true, first_name: 'Test', username: 'test_bot' }),
    deleteWebhook: (call) => call.ok(true),
    setWebhook: (call) => call.ok(true),
    sendChatAction: (call) => call.ok(true),
    sendMessage: (call) => call.ok({ message_id: messages++, chat: { id: call.body.chat_id }, text: call.body.text }),
    getUpdates,
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', async () => {
      const path = request.url ?? ''
      const method = path.split('/').at(-1) ?? ''
      const call = callOf(method, path, JSON.parse(Buffer.concat(parts).toString('utf8')), response)
      calls.push(call)
      const answer = scripts.get(method)?.shift() ?? always.get(method) ?? usual[method]
      if (path !== `/bot${botToken}/${method}` && !always.has(method)) call.refuse(404, 'Not Found')
      else if (answer) await answer(call)
      else call.refuse(404, 'Not Found: method not found')
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    of: (method) => calls.filter((call) => call.method === method),
    script: (method, ...answers) => {
      scripts.set(method, [...(scripts.get(method) ?? []), ...answers])
    },
    always: (method, answer) => {
      always.set(method, answer)
    },
    push(...more) {
      updates.push(...more)
      for (const look of waiting) look()
    },
    get held() {
      return updates.length
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function callOf(method: string, path: string, body: unknown, response: ServerResponse): BotCall {
  const raw: BotCall['raw'] = (status, text, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(text)
  }
  return {
    method,
    path,
    body,
    response,
    get isAborted() {
      return response.destroyed
    },
    ok: (result) => raw(200, JSON.stringify({ ok: true, result })),
    refuse: (code, description, more = {}) =>
      raw(code, JSON.stringify({ ok: false, error_code: code, description, ...more })),
    raw,
    cut: () => void response.destroy(),
  }
}

function idOf(update: unknown): number | undefined {
  return (update as { update_id?: number } | null)?.update_id
}

export const refuse =
  (code: number, description: string, more: object = {}): BotAnswer =>
  (call) =>
    call.refuse(code, description, more)

/** Takes the call and never says a word. */
export const hang: BotAnswer = () => {}

let lastMessage = 0

/** An update with a message of a private chat, or with whatever `message` says. */
export function updateOf(id: number, text: string, message: object = {}): object {
  return {
    update_id: id,
    message: {
      message_id: ++lastMessage,
      date: 1_700_000_000,
      chat: { id: 42, type: 'private' },
      from: { id: 42, is_bot: false, first_name: 'Ada', last_name: 'Example' },
      text,
      ...message,
    },
  }
}
