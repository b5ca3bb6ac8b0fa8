/** A server over standard input and output that misbehaves in the one way that its first argument names. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

interface Message {
  id?: number | string | undefined
  method?: string
  params?: { name?: string; requestId?: number; arguments?: Record<string, unknown> }
  error?: { code: number }
}

type Say = (message: Record<string, unknown>) => boolean

const say: Say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id: Message['id'], text: string) => say({ id, result: { content: [{ type: 'text', text }] } })
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

interface Script {
  /** When the process starts. */
  start?(): void
  tools?: () => unknown[]
  call?(message: Pick<Message, 'id'>, name: string): void
  /** Whatever else comes, answers to our own requests included. */
  hear?(message: Message): void
  isDeaf?: boolean
}

const cancelled: unknown[] = []
const refusals: number[] = []
let asked: Message['id']
let listings = 0
let isGrown = false

function deep(levels: number): unknown {
  return levels === 0 ? {} : { properties: { inner: deep(levels - 1) } }
}

/** As fast as the pipe takes it, for ever. */
function flood(stream: NodeJS.WriteStream, piece: string): void {
  while (stream.write(piece));
  stream.once('drain', () => flood(stream, piece))
}

const scripts: Record<string, Script> = {
  silent: { isDeaf: true },
  'flood-messages': {
    call: () => flood(process.stdout, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n'.repeat(50)),
  },
  'flood-errors': {
    start: () => flood(process.stderr, `${'e'.repeat(10_000)}\n`),
    call: ({ id }) => answer(id, 'fine'),
  },
  giant: { call: () => flood(process.stdout, 'x'.repeat(65_536)) },
  banner: {
    start: () => process.stdout.write('Welcome!\nversion 1\n'),
    call: ({ id }) => answer(id, 'fine'),
  },
  chatter: { start: () => process.stdout.write('a line of a log\n'.repeat(200)) },
  stubborn: {
    start() {
      process.on('SIGTERM', () => undefined)
      setInterval(() => undefined, 1_000)
    },
    call({ id }) {
      const child = spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 0.1; done'], { stdio: 'ignore' })
      answer(id, `${process.pid} ${child.pid}`)
    },
  },
  dies: {
    call({ id }) {
      const child = spawn('/bin/sleep', ['600'], { stdio: 'inherit' })
      if (id === undefined) return
      process.stderr.write(`left behind ${child.pid}\nno luck with ${process.env['API_TOKEN']}\n`, () =>
        process.exit(3),
      )
    },
  },
  asks: {
    call({ id }) {
      asked = id
      say({ id: 'one', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })
      say({ id: 'two', method: 'elicitation/create', params: { message: 'who?', requestedSchema: { type: 'object' } } })
      say({ id: 'three', method: 'roots/list' })
    },
    hear({ error }) {
      refusals.push(error?.code ?? 0)
      if (refusals.length === 3) answer(asked, refusals.join(' '))
    },
  },
  many: { tools: () => Array.from({ length: 250 }, (_, at) => tool(`tool-${at}`)), call: () => undefined },
  odd: {
    tools: () => [
      tool('näme with spaces'),
      tool('n'.repeat(100)),
      tool('twice'),
      tool('twice'),
      { name: 'no-schema' },
      { name: 'wide', inputSchema: { type: 'object', description: 'w'.repeat(40_000) } },
      { name: 'deep', inputSchema: { type: 'object', ...(deep(30) as object) } },
      { ...tool('reads'), annotations: { readOnlyHint: true } },
      { ...tool('repeats'), annotations: { readOnlyHint: false, idempotentHint: true } },
    ],
    call: ({ id }, name) => answer(id, `called ${name}`),
  },
  grows: {
    tools: () => [tool('grow'), tool('listings'), ...(isGrown ? [tool('grown')] : [])],
    call({ id }, name) {
      if (name === 'listings') return void answer(id, String(listings))
      isGrown = true
      for (let time = 0; time < 50; time++) say({ method: 'notifications/tools/list_changed' })
      answer(id, 'grown')
    },
  },
  waits: {
    tools: () => [tool('wait'), tool('cancelled')],
    call: ({ id }, name) => void (name === 'cancelled' && answer(id, JSON.stringify(cancelled))),
    hear: ({ params }) => cancelled.push(params?.requestId),
  },
  'bad-answers': {
    tools: () => [tool('shape'), tool('refused'), tool('deep')],
    call({ id }, name) {
      if (name === 'shape') say({ id, result: { content: 'no list' } })
      if (name === 'refused') say({ id, error: { code: -32_602, message: `not with ${process.env['API_TOKEN']}` } })
      if (name === 'deep')
        process.stdout.write(
          `{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}\n`,
        )
    },
  },
  echoes: { call: ({ id }) => answer(id, `${process.env['API_TOKEN']} in ${process.env['DATA_FOLDER']}`) },
  loses: { call: () => process.stdin.pause() },
}

const script = scripts[process.argv[2] ?? ''] ?? {}
script.start?.()

function respond({ id, method, params }: Message): void {
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } }
    say({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'scripted', version: '1' } } })
  } else if (method === 'tools/list') {
    listings++
    say({ id, result: { tools: script.tools?.() ?? [tool('go')] } })
  } else if (method === 'tools/call') script.call?.({ id }, params?.name ?? '')
}

const known = ['initialize', 'tools/list', 'tools/call', 'notifications/initialized']
if (script.isDeaf) setInterval(() => undefined, 1_000)
else
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    if (known.includes(message.method ?? '')) respond(message)
    else script.hear?.(message)
  })
