/** What is one for all nodes: guesses of credentials, revocation, counts of the overview, the chain of the audit log. */
import { expect, onTestFinished, test } from 'vitest'
import { credentialGuesses } from '../../../http/auth/credential-guesses.ts'
import { readEvents } from '../../http/events/support/sse-reader.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64') }

async function twoNodes() {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const between = busBetween()
  const start = async (endpoint: Record<string, string> = {}) => {
    const node = await gatewayUnderTest(
      { ...environment, ...endpoint },
      { address, bus: (epoch: number) => between.of(epoch) },
    )
    onTestFinished(() => node.stop())
    return node
  }
  const one = await start()
  const nodes = [one, await start({ SERVICE_LLM_GATEWAY_URL: one.endpoint.url })] as const
  await expect.poll(() => nodes.map(({ gateway }) => gateway.stats().slots), { timeout: 10_000 }).toEqual([128, 128])
  return { nodes, between }
}

const unknownKey = (at: number) => `sk-${String(at).padStart(43, '0')}`
const statusOf = async (at: GatewayUnderTest, key: string) =>
  (await fetch(`${at.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

test('guesses of keys at one node count at each: an address has as many of them as with one node', async () => {
  const { nodes } = await twoNodes()
  const statuses: number[] = []
  const beganMs = performance.now()
  for (let at = 0; at < 60; at++) statuses.push(await statusOf(nodes[at % 2] as GatewayUnderTest, unknownKey(at)))
  const refusals = statuses.filter((status) => status === 401).length
  // A burst of 20, and one a second while the test lasts.
  expect(refusals).toBeGreaterThanOrEqual(20)
  expect(refusals).toBeLessThanOrEqual(20 + (performance.now() - beganMs) / 1_000)
})

test('of guesses at three nodes at the same moment no more pass than at one, and a node that is silent stops none', async () => {
  const clock = virtualClock()
  const between = busBetween()
  const nodes = [1, 2, 3].map((node) =>
    credentialGuesses(clock, 'key', { bus: between.of(node), around: { node, ownerOf: () => 1 } as never }),
  )
  const burst = async (address: string) => {
    const waits = nodes.flatMap((node) => Array.from({ length: 20 }, () => node.failed(address)))
    await clock.advance(250)
    return (await Promise.all(waits)).filter((waitMs) => waitMs === 0).length
  }
  expect(await burst('192.0.2.1')).toBe(20)
  // It is not asked again as long as it refuses.
  for (const node of nodes) expect(node.retryAfterMs('192.0.2.1')).toBeGreaterThan(0)
  between.loses = () => true
  expect(await burst('192.0.2.2')).toBe(60)
})

test('the overview counts the turns of all nodes at each, and says how many nodes are silent', async () => {
  const { nodes, between } = await twoNodes()
  const [one, other] = nodes
  const queueAt = async (at: GatewayUnderTest) =>
    ((await (await at.get('/v1/admin/overview')).json()) as { queue: unknown }).queue
  one.endpoint.always((call) => call.openStream())
  const leave = new AbortController()
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] }
  const turns = [one, one, other].map((at) =>
    at.post('/v1/chat/completions', body, {}, leave.signal).catch(() => undefined),
  )
  for (const at of nodes) await expect.poll(() => queueAt(at)).toEqual({ waiting: 0, running: 3, silent_nodes: 0 })
  between.loses = () => true
  expect(await queueAt(one)).toEqual({ waiting: 0, running: 2, silent_nodes: 1 })
  between.loses = () => false
  leave.abort()
  await Promise.all(turns)
})

test('a key that one node revokes is dead at the other within a second, with its open stream', async () => {
  const { nodes } = await twoNodes()
  const [one, other] = nodes
  const made = await one.post('/v1/admin/apikeys', { name: 'short', scopes: ['*'] })
  const { key, id } = (await made.json()) as { key: string; id: string }
  expect(await statusOf(other, key)).toBe(200)
  const feed = await readEvents(`${other.url}/v1/events/stream`, { authorization: `Bearer ${key}` })
  expect(feed.response.status).toBe(200)
  const revokedMs = performance.now()
  expect((await one.post('/v1/admin/apikeys/revoke', { id })).status).toBe(200)
  await expect.poll(() => statusOf(other, key), { timeout: 1_000, interval: 10 }).toBe(401)
  await feed.until(() => feed.isOver, 'the end of the stream')
  expect(performance.now() - revokedMs).toBeLessThan(1_000)
})

test('two nodes that write the audit log at once keep one chain', async () => {
  const { nodes } = await twoNodes()
  const names = Array.from({ length: 16 }, (_, at) => `key ${at}`)
  const made = await Promise.all(
    names.map((name, at) => (nodes[at % 2] as GatewayUnderTest).post('/v1/admin/apikeys', { name, scopes: ['chat'] })),
  )
  expect(made.map(({ status }) => status).filter((status) => status >= 300)).toEqual([])
  const verdicts = await Promise.all(nodes.map(async (at) => await (await at.get('/v1/admin/audit/verify')).json()))
  const [verdict] = verdicts as { entries: number }[]
  expect(verdicts).toMatchObject(
    nodes.map(() => ({ intact: true, complete: true, head: { seq: verdict?.entries }, entries: verdict?.entries })),
  )
  expect(verdict?.entries).toBeGreaterThanOrEqual(names.length)
})
