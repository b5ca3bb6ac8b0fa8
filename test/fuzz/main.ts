/**
 * `npm run long -- fuzz-http [--minutes 30] [--seed 1]`: every route with every kind of credential and hostile bodies, queries and
 * headers, against the service in a process of its own. Fails where it answers with a defect or not at all, ends, or makes others wait
 * for more than 50 ms; a case that did so is tried again alone, since the machine may have been busy.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { freePort } from '../../bench/process/free-port.ts'
import { scopes } from '../../store/scopes.ts'
import { ServiceProcess } from '../crash/under-kill.ts'
import { type Dice, dice, fitting, shapeless } from './hostile-bodies.ts'

const waitMsMax = 50
const password = 'correct horse battery staple'
const roles = ['owner', 'admin', 'operator', 'auditor', 'user'] as const

interface Operation {
  name: string
  method: string
  path: string
  body: unknown
}

interface Case {
  operation: Operation
  who: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
})
const seed = Number(values.seed)
const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
// The built-in database runs as another user where this one is root.
await chmod(folder, 0o711)
const bootstrapKey = 'sk-fuzz-key-of-the-first-start'
const service = new ServiceProcess({
  folder,
  port: await freePort(),
  environment: {
    SERVICE_BOOTSTRAP_KEY: bootstrapKey,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_DRAIN_TIMEOUT_S: '2',
  },
})
await service.start()
await service.ready()
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
const prober = new Worker(new URL('./prober.ts', import.meta.url), { workerData: service.url })

function send(method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve) => {
    const length = body ? { 'content-length': String(body.length) } : {}
    const asked = request(
      `${service.url}${path}`,
      { method, agent, headers: { ...headers, ...length }, timeout: 20_000 },
      (answer) => {
        const { statusCode: status = 0, headers: got } = answer
        // A feed has no end.
        if (got['content-type']?.startsWith('text/event-stream') && method === 'GET') {
          answer.destroy()
          resolve({ status, headers: got, text: '' })
          return
        }
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(0, 4_000)))
        answer.on('end', () => resolve({ status, headers: got, text }))
        answer.on('error', () => resolve({ status: 0, headers: {}, text }))
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no answer within 20 s')))
    asked.on('error', (error) => resolve({ status: 0, headers: {}, text: error.message }))
    asked.end(body)
  })
}

async function json(path: string, fields: object, headers: Record<string, string>): Promise<Record<string, unknown>> {
  const { status, text } = await send(
    'POST',
    path,
    { 'content-type': 'application/json', ...headers },
    Buffer.from(JSON.stringify(fields)),
  )
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

const bearer = (key: unknown) => ({ authorization: `Bearer ${key}` })

async function credentials(): Promise<Record<string, Record<string, string>>> {
  const made: Record<string, Record<string, string>> = {
    nothing: {},
    junk: bearer('sk-of-nobody-at-all-and-long-enough'),
    'key *': bearer(bootstrapKey),
  }
  for (const scope of scopes.filter((each) => each !== '*')) {
    const { key } = await json('/v1/admin/apikeys', { name: scope, scopes: [scope] }, made['key *'] ?? {})
    made[`key ${scope}`] = bearer(key)
  }
  const { ticket } = await json('/v1/web/tickets', { ttl_s: 3_600 }, made['key chat'] ?? {})
  made['ticket'] = bearer(ticket)
  for (const role of roles) {
    const login = `fuzz-${role}-${Object.keys(made).length}`
    await json('/v1/admin/operators', { login, role, password }, made['key *'] ?? {}).catch(() => undefined)
    const body = Buffer.from(JSON.stringify({ login, password }))
    const signedIn = await send(
      'POST',
      '/v1/admin/auth/login',
      { 'content-type': 'application/json', origin: service.url },
      body,
    )
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0]
    if (!cookie) throw new Error(`${role}: ${signedIn.status} ${signedIn.text}`)
    const { csrf_token: token } = JSON.parse(signedIn.text) as { csrf_token: string }
    made[`session ${role}`] = { cookie, origin: service.url, 'x-csrf-token': token }
  }
  return made
}

async function operations(): Promise<Operation[]> {
  const { text } = await whole('/openapi.json')
  type Described = { requestBody?: { content: Record<string, { schema?: unknown }> } }
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      body: requestBody?.content['application/json']?.schema,
    })),
  )
}

async function whole(path: string): Promise<{ text: string }> {
  return { text: await (await fetch(`${service.url}${path}`, { headers: bearer(bootstrapKey) })).text() }
}

/** What would end the run itself. */
const leftOut = new Set(['POST /v1/admin/settings', 'POST /v1/admin/nodes/drain'])

const oddPieces = [
  'x',
  '%00',
  '%2e%2e',
  'a'.repeat(300),
  '%ff',
  "'",
  `resp_${'0'.repeat(32)}`,
  `conv_${'0'.repeat(32)}`,
  '-1',
]
const oddQueries = [
  '',
  '?limit=-1',
  '?limit=1e9',
  '?cursor=%00',
  '?cursor=x',
  `?q=${'a'.repeat(3_000)}`,
  '?a=1&a=2&a=3',
  '?%zz',
  '?stream=true',
]
const types = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-ndjson',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
]

let sent = 0
function caseOf(roll: Dice, all: readonly Operation[], known: Record<string, Record<string, string>>): Case {
  const operation = roll.of(all)
  const who = roll.of(Object.keys(known))
  const path = operation.path.replaceAll(/\{\w+\}/g, () => roll.of(oddPieces)) + roll.of(oddQueries)
  const from = `10.${(++sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`
  const headers: Record<string, string> = { ...known[who], 'x-forwarded-for': from }
  if (roll.chance(0.1)) headers['x-request-id'] = 'r'.repeat(roll.of([1, 200, 4_000]))
  if (roll.chance(0.1)) headers['last-event-id'] = roll.of(['x', '-1', '9'.repeat(400)])
  if (roll.chance(0.05)) headers['x-service-conversation-id'] = roll.of(['new', 'x', `conv_${'0'.repeat(32)}`])
  if (operation.method === 'GET') return { operation, who, path, headers, body: undefined }
  const type = roll.chance(0.85) ? 'application/json' : roll.of(types)
  if (type !== '') headers['content-type'] = type
  const body = roll.chance(0.75) ? Buffer.from(JSON.stringify(fitting(operation.body, roll)) ?? '') : shapeless(roll)
  return { operation, who, path, headers, body }
}

const longestWait = () =>
  new Promise<number>((resolve) => {
    prober.once('message', resolve)
    prober.postMessage('say')
  })

async function tried({
  operation,
  path,
  headers,
  body,
}: Case): Promise<{ status: number; waitMs: number; text: string }> {
  await longestWait()
  const { status, text } = await send(operation.method, path, headers, body)
  return { status, text, waitMs: await longestWait() }
}

const told = ({ operation, who, body }: Case) =>
  `${operation.name} with ${who}, ${body?.length ?? 0} bytes ${JSON.stringify(body?.subarray(0, 200).toString() ?? '')}`

const roll = dice(seed)
const all = (await operations()).filter(({ name }) => !leftOut.has(name))
let known = await credentials()
const statuses = new Map<number, number>()
const wrongs: string[] = []
const reached = new Set<string>()
let longest = { waitMs: 0, what: '' }
let cases = 0
const untilMs = performance.now() + Number(values.minutes) * 60_000
while (performance.now() < untilMs && wrongs.length < 20) {
  const one = caseOf(roll, all, known)
  cases++
  let { status, waitMs, text } = await tried(one)
  reached.add(one.operation.name)
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (status === 0) wrongs.push(`no answer, ${text}: ${told(one)}`)
  if (status === 500) wrongs.push(`500 ${text.slice(0, 200)}: ${told(one)}`)
  // A limit of the machine or of its own: answered, and nothing is held.
  for (let again = 0; waitMs > waitMsMax && again < 4; again++) {
    await setTimeout(300)
    waitMs = Math.min(waitMs, (await tried(one)).waitMs)
  }
  if (waitMs > longest.waitMs) longest = { waitMs, what: told(one) }
  if (waitMs > waitMsMax) wrongs.push(`others waited ${Math.round(waitMs)} ms: ${told(one)}`)
  // Some of the cases end the credentials they come with.
  if (cases % 500 === 0) known = await credentials()
  if (status === 0 && !(await service.isReady())) {
    wrongs.push(`the service does not answer any more: ${told(one)}`)
    break
  }
}
await prober.terminate()
agent.destroy()
await service.stop()
const counted = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`)
process.stdout.write(
  `seed ${seed}: ${reached.size} of ${all.length} routes, ${cases} cases (${counted.join(', ')})\n` +
    `the longest that others waited: ${longest.waitMs.toFixed(1)} ms, ${longest.what}\n${wrongs.join('\n')}\n`,
)
if (wrongs.length === 0) await rm(folder, { recursive: true, force: true })
else process.stdout.write(`the log of the service: ${folder}/service.log\n`)
process.exitCode = wrongs.length === 0 ? 0 : 1
