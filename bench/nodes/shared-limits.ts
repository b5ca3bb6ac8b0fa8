/**
 * `node bench/nodes/shared-limits.ts [--rounds 10]`: three gateways on one database. By how much are limits exceeded that are one
 * for all, and how long does a node go on with a key that another has revoked, or with a setting that has been changed? Each
 * figure beside what is promised. Over NATS where SERVICE_NATS_URL is set, else through the database.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { endProgramsOnSignal } from '../process/forked.ts'
import { until } from '../process/until.ts'
import { type Gateway, withCluster } from './cluster.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })
const rounds = Number(values.rounds)
const limitRpm = 120
const limitMs = 10_000
let firstKey = ''

endProgramsOnSignal()
// Nobody is asked there.
await withCluster({ SERVICE_LLM_GATEWAY_URL: 'http://127.0.0.1:9/v1' }, async ({ gateways: nodes, key, way }) => {
  firstKey = key
  print(`${rounds} rounds, three nodes, ${way}`)
  await rateOfKey(nodes)
  await guesses(nodes)
  await revocation(nodes)
  await settingChange(nodes)
})

async function call(at: Gateway, path: string, { key = firstKey, body }: { key?: string; body?: object } = {}) {
  const response = await fetch(at.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function newKey(at: Gateway, more: object): Promise<{ id: string; key: string }> {
  const { status, text } = await call(at, '/v1/admin/apikeys', { body: { name: 'measured', scopes: ['*'], ...more } })
  if (status >= 300) throw new Error(`no key: ${status} ${text}`)
  return JSON.parse(text)
}

async function statusOf(at: Gateway, key: string): Promise<number> {
  return (await call(at, '/v1/models', { key })).status
}

/** All nodes are asked at once, more often than the limit allows. One that counted alone would let three times as many in. */
async function rateOfKey(nodes: readonly Gateway[]): Promise<void> {
  const errors: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { key } = await newKey(at(nodes, round), { rate_limit_rpm: limitRpm })
    const beganMs = performance.now()
    let asked = 0
    let admitted = 0
    let isOver = false
    const clients = nodes.flatMap((node) =>
      Array.from({ length: 6 }, async () => {
        for (; !isOver; asked++) if ((await statusOf(node, key)) === 200) admitted++
      }),
    )
    await pause(5_000)
    isOver = true
    await Promise.all(clients)
    // Within a minute of the first request nothing of the allowance comes back.
    if (performance.now() - beganMs > 60_000) throw new Error('the round took longer than a minute')
    if (asked < 2 * limitRpm) throw new Error(`too few requests to judge the limit: ${asked}`)
    errors.push((100 * (admitted - limitRpm)) / limitRpm)
  }
  say('rate of a key: over the limit, in %', errors, 5)
}

async function revocation(nodes: readonly Gateway[]): Promise<void> {
  const tookMs = { requests: [] as number[], streams: [] as number[], sockets: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const { id, key } = await newKey(at(nodes, round), {})
    const open = await Promise.all(nodes.map((node) => opened(node, key)))
    const beganMs = performance.now()
    const since = () => performance.now() - beganMs
    const ends = nodes.flatMap((node, place) => [
      untilRefused(node, key).then(() => tookMs.requests.push(since())),
      open[place]?.stream.then(() => tookMs.streams.push(since())),
      open[place]?.socket.then(() => tookMs.sockets.push(since())),
    ])
    const { status } = await call(at(nodes, round), '/v1/admin/apikeys/revoke', { body: { id } })
    if (status !== 200) throw new Error(`not revoked: ${status}`)
    await withEnd('everything of a revoked key ends', Promise.all(ends))
  }
  for (const [what, took] of Object.entries(tookMs)) say(`a revoked key: until its ${what} end, in ms`, took, 1_000)
}

/** A stream and a socket of the key; each promise resolves at its end. */
async function opened(node: Gateway, key: string): Promise<{ stream: Promise<unknown>; socket: Promise<unknown> }> {
  const feed = await fetch(`${node.url}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } })
  if (feed.status !== 200) throw new Error(`no stream: ${feed.status}`)
  const made = await call(node, '/v1/web/tickets', { key, body: { conversation_id: 'new' } })
  const { ticket } = JSON.parse(made.text)
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/v1/web/ws?ticket=${encodeURIComponent(ticket)}`)
  const heard = (event: string) => new Promise((resolve) => socket.addEventListener(event, resolve, { once: true }))
  const closed = heard('close')
  await withEnd('a socket opens', heard('open'))
  return { stream: feed.text().catch(() => undefined), socket: closed }
}

async function untilRefused(node: Gateway, key: string): Promise<void> {
  await until('the key is refused', limitMs, async () => (await statusOf(node, key)) !== 200)
}

/** The setting is a name that each node has in its list of models. */
async function settingChange(nodes: readonly Gateway[]): Promise<void> {
  const tookMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const beganMs = performance.now()
    const model = `model-${round}`
    const body = { set: { SERVICE_LLM_MODEL: model } }
    const { status, text } = await call(at(nodes, round), '/v1/admin/settings', { body })
    if (status !== 200) throw new Error(`not changed: ${status} ${text}`)
    await Promise.all(
      nodes.map(async (node) => {
        await until('the setting is there', limitMs, async () =>
          (await call(node, '/v1/models')).text.includes(`"${model}"`),
        )
        tookMs.push(performance.now() - beganMs)
      }),
    )
  }
  say('a changed setting: until a node has it, in ms', tookMs, 1_000)
}

/** As many as one node admits: a burst of 20, and one a second. The longer it takes, the more a node that is not told lets in. */
async function guesses(nodes: readonly Gateway[]): Promise<void> {
  const beganMs = performance.now()
  let judged = 0
  for (let guess = 0; guess < 200; guess++) {
    if ((await statusOf(at(nodes, guess), `sk-${randomBytes(24).toString('hex')}`)) === 401) judged++
    await pause(100)
  }
  const allowed = 20 + Math.floor((performance.now() - beganMs) / 1_000)
  say(
    'guesses of keys, one after another at the three: over the limit, in %',
    [(100 * (judged - allowed)) / allowed],
    5,
  )
}

async function withEnd<Value>(what: string, wait: Promise<Value>): Promise<Value> {
  const end = pause(limitMs, undefined, { ref: false }).then(() => {
    throw new Error(`not within ${limitMs} ms: ${what}`)
  })
  return await Promise.race([wait, end])
}

function at(nodes: readonly Gateway[], turn: number): Gateway {
  return nodes[turn % nodes.length] as Gateway
}

function say(what: string, found: readonly number[], promised: number): void {
  const most = Math.max(...found)
  const mean = found.reduce((sum, value) => sum + value, 0) / found.length
  print(`${what}: mean ${mean.toFixed(1)}, most ${most.toFixed(1)} of ${found.length}, promised at most ${promised}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
