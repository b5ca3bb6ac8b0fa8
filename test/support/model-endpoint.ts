/**
 * The outside world's model: an OpenAI-compatible endpoint on a real socket, whose every answer the test scripts. Pauses
 * are promises of the test, never sleeps. Without a script it answers at once, the same each time (`fixedAnswer`).
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever JSON they have made themselves
  body: any
}

/** One call as its scripted answer sees it. */
export interface EndpointCall {
  readonly request: RecordedRequest
  readonly response: ServerResponse
  readonly socket: Socket
  /** True once the client has hung up. */
  readonly isAborted: boolean
  /** Resolves when the client hangs up. */
  readonly aborted: Promise<void>
  /** Status line and headers of an event stream, sent now. */
  openStream(headers?: Record<string, string>): void
  /** Bytes as they are. False: the client does not read. */
  write(bytes: string | Uint8Array): boolean
  /** An event: an object becomes JSON. */
  event(data: object | string): boolean
  end(): void
  /** The connection ends in the middle. */
  cut(): void
}

export type ScriptedAnswer = (call: EndpointCall) => void | Promise<void>

export interface ModelEndpoint {
  /** With `/v1`. */
  readonly url: string
  readonly port: number
  readonly requests: RecordedRequest[]
  /** Calls without an end so far. */
  readonly openCalls: number
  /** Calls whose client hung up before the end. */
  readonly abortedCalls: number
  readonly connections: number
  /** The next calls get these in order; further ones what `always` says. */
  script(...answers: ScriptedAnswer[]): void
  always(answer: ScriptedAnswer): void
  /** Resolves as soon as `condition` holds; it is looked at whenever anything happens here. */
  until(condition: () => boolean): Promise<void>
  /** Ends every connection and the server. */
  close(): Promise<void>
}

export async function modelEndpoint({ port = 0 }: { port?: number } = {}): Promise<ModelEndpoint> {
  const sockets = new Set<Socket>()
  const requests: RecordedRequest[] = []
  const scripted: ScriptedAnswer[] = []
  const waiting = new Set<() => void>()
  let always: ScriptedAnswer = fixedAnswer()
  let openCalls = 0
  let abortedCalls = 0

  const happened = () => {
    for (const look of waiting) look()
  }

  const server = createServer((incoming, response) => {
    openCalls++
    const aborted = Promise.withResolvers<void>()
    response.on('close', () => {
      openCalls--
      if (!response.writableFinished) {
        abortedCalls++
        aborted.resolve()
      }
      happened()
    })
    void read(incoming).then(async (request) => {
      requests.push(request)
      happened()
      const answer = scripted.shift() ?? always
      await answer(callOf(request, response, aborted.promise))
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      happened()
    })
    happened()
  })
  // A thousand connect at once: past the backlog they wait for seconds, and on a busy machine until they time out.
  await new Promise<void>((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4_096 }, resolve))
  const listening = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${listening.port}/v1`,
    port: listening.port,
    requests,
    get openCalls() {
      return openCalls
    },
    get abortedCalls() {
      return abortedCalls
    },
    get connections() {
      return sockets.size
    },
    script: (...answers) => {
      scripted.push(...answers)
    },
    always(answer) {
      always = answer
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

async function read(incoming: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = []
  try {
    for await (const part of incoming) parts.push(part as Buffer)
  } catch {
    // The client hung up while it sent.
  }
  const text = Buffer.concat(parts).toString('utf8')
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

function callOf(request: RecordedRequest, response: ServerResponse, aborted: Promise<void>): EndpointCall {
  return {
    request,
    response,
    socket: response.socket as Socket,
    get isAborted() {
      return response.destroyed
    },
    aborted,
    openStream(headers) {
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
      response.flushHeaders()
    },
    write: (bytes) => response.write(bytes),
    event: (data) => response.write(eventOf(data)),
    end: () => void response.end(),
    cut: () => void response.destroy(),
  }
}

export function eventOf(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

// ---- answers ----

export const chunkBase = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'scripted-1',
}

export function chunkOf(
  delta: object,
  more: { index?: number; finish?: string | null; logprobs?: unknown } = {},
): object {
  const { index = 0, finish = null, logprobs = null } = more
  return { ...chunkBase, choices: [{ index, delta, logprobs, finish_reason: finish }] }
}

export const usageOf = (prompt = 9, completion = 3): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})

export const usageChunk = (usage: object = usageOf()): object => ({ ...chunkBase, choices: [], usage })

export function completionOf(message: object | string, more: object = {}): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'scripted-1',
    choices: [
      {
        index: 0,
        message: typeof message === 'string' ? { role: 'assistant', content: message, refusal: null } : message,
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: usageOf(),
    ...more,
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedAnswer {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

/** A refusal in the convention's envelope. */
export function failure(
  status: number,
  message = `scripted ${status}`,
  more: { headers?: Record<string, string>; code?: string; type?: string; param?: string } = {},
): ScriptedAnswer {
  const { headers = {}, code = null, type = 'scripted_error', param = null } = more
  return json({ error: { message, type, param, code } }, status, headers)
}

/** Role, words, finish_reason, usage where it was asked for, [DONE]. */
export function streamOf(
  words: readonly string[],
  more: { gate?: Promise<unknown>; finish?: string } = {},
): ScriptedAnswer {
  return async (call) => {
    call.openStream()
    call.event(chunkOf({ role: 'assistant', content: '' }))
    for (const [at, word] of words.entries()) {
      if (at === 1) await more.gate
      call.event(chunkOf({ content: word }))
    }
    call.event(chunkOf({}, { finish: more.finish ?? 'stop' }))
    if (call.request.body?.stream_options?.include_usage) call.event(usageChunk())
    call.event('[DONE]')
    call.end()
  }
}

/** These events, then the end of the body. */
export function events(...data: (object | string)[]): ScriptedAnswer {
  return (call) => {
    call.openStream()
    for (const each of data) call.event(each)
    call.end()
  }
}

/** These bytes as the body of an event stream, each piece in a write (and so a chunk) of its own. */
export function bytes(...pieces: (string | Uint8Array)[]): ScriptedAnswer {
  return async (call) => {
    call.openStream()
    for (const piece of pieces) {
      call.write(piece)
      await new Promise(setImmediate)
    }
    call.end()
  }
}

/** Some events, and the connection is gone. */
export function cutAfter(...data: (object | string)[]): ScriptedAnswer {
  return (call) => {
    call.openStream()
    const text = data.map(eventOf).join('')
    if (text === '') call.cut()
    else call.response.write(text, () => call.cut())
  }
}

/** Takes the request and never says a word. */
export const hang: ScriptedAnswer = () => {}

/** Hangs up before a word was said. */
export const hangUp: ScriptedAnswer = (call) => call.cut()

/** Bytes on the bare socket, HTTP or not. */
export function onSocket(text: string): ScriptedAnswer {
  return ({ socket }) => void socket.end(text)
}

/** The same at once and every time, written in one go: for benchmarks and for tests where the answer is not the subject. */
export function fixedAnswer(words = 20): ScriptedAnswer {
  const text = Array.from({ length: words }, (_, at) => `word${at} `)
  const whole = Buffer.from(JSON.stringify(completionOf(text.join(''))))
  const streamed = Buffer.from(
    [
      chunkOf({ role: 'assistant', content: '' }),
      ...text.map((content) => chunkOf({ content })),
      chunkOf({}, { finish: 'stop' }),
      usageChunk(),
      '[DONE]',
    ]
      .map(eventOf)
      .join(''),
  )
  return ({ request, response }) => {
    const isStream = request.body?.stream === true
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? streamed : whole)
  }
}
