/** What operators see of the nodes, and how they drain one. */
import { expect, onTestFinished, test } from 'vitest'
import { freshAddress } from '../../support/database.ts'
import { gatewayUnderTest } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'

const jsonOf = async (response: Response): Promise<unknown> => await response.json()

const environment = {
  SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64'),
  SERVICE_INBOUND_REQUIRE_BINDING: 'false',
}

async function twoNodes() {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const between = busBetween()
  const asked: number[] = []
  const start = async (number: number) => {
    const node = await gatewayUnderTest(environment, {
      ...{ address, bus: (epoch: number) => between.of(epoch), onDrainAsked: () => void asked.push(number) },
    })
    onTestFinished(() => node.stop())
    return node
  }
  const nodes = [await start(1), await start(2)] as const
  await expect.poll(() => nodes.map(({ gateway }) => gateway.stats().slots), { timeout: 10_000 }).toEqual([128, 128])
  return { nodes, between, asked }
}

test('each node lists both, with their slots and what they do; one that does not answer has no load', async () => {
  const { nodes, between } = await twoNodes()
  const [one, other] = nodes
  for (const at of nodes) {
    const listed = await jsonOf(await at.get('/v1/admin/nodes'))
    expect(listed).toMatchObject({
      this_node: at.gateway.node,
      items: [other, one].map(({ gateway }) => ({
        ...{ node: gateway.node, pid: process.pid, state: 'running', slots: 128, host: expect.any(String) },
        load: { turns: 0, waiting: 0, memory_bytes: expect.any(Number), messages: { way: 'database', is_up: true } },
      })),
    })
  }
  between.loses = () => true
  const listed = await jsonOf(await one.get('/v1/admin/nodes'))
  expect(listed).toMatchObject({ items: [{ load: null }, { node: one.gateway.node, load: { turns: 0 } }] })
})

test('a node that is asked to drain, at any node and however often, is told once; one that has gone is not found', async () => {
  const { nodes, asked } = await twoNodes()
  const [one, other] = nodes
  const drain = (node: unknown) => one.post('/v1/admin/nodes/drain', { node })
  expect((await drain(other.gateway.node)).status).toBe(200)
  expect((await drain(other.gateway.node)).status).toBe(200)
  await expect.poll(() => asked).toEqual([2])
  expect(await jsonOf(await one.get('/v1/admin/nodes'))).toMatchObject({
    items: [{ node: other.gateway.node, state: 'draining' }, { state: 'running' }],
  })
  await other.stop()
  await expect
    .poll(async () => await jsonOf(await one.get('/v1/admin/nodes')))
    .toMatchObject({
      items: [
        { node: one.gateway.node, slots: 256, state: 'running' },
        { node: other.gateway.node, slots: 0, state: 'stopped', load: null },
      ],
    })
  expect((await drain(other.gateway.node)).status).toBe(404)
  expect((await drain(0)).status).toBe(400)
  expect((await drain('2')).status).toBe(400)
  expect(asked).toEqual([2])
})

test('metrics of all nodes come at each, with the node as a label; one that does not answer is down in them', async () => {
  const { nodes, between } = await twoNodes()
  const [one, other] = nodes
  const read = async (query = '') => await (await one.get(`/v1/admin/metrics${query}`)).text()
  const of = (node: typeof one) => `node="${node.gateway.node}"`
  const both = await read()
  for (const node of nodes) {
    expect(both).toContain(`service_node_up{${of(node)}} 1\n`)
    expect(both).toMatch(new RegExp(`^service_ready{${of(node)}} 1$`, 'm'))
    expect(both).toMatch(new RegExp(`^service_database_work{${of(node)},pool="hot",state="running"} \\d+$`, 'm'))
    expect(both).toMatch(new RegExp(`^service_actors_live{${of(node)}} \\d+$`, 'm'))
  }
  // Each family has its head once, whichever nodes have it.
  const heads = both.split('\n').filter((line) => line.startsWith('# TYPE'))
  expect(new Set(heads).size).toBe(heads.length)
  const alone = await read(`?node=${other.gateway.node}`)
  expect(alone).toContain(of(other))
  expect(alone).not.toContain(of(one))
  expect((await one.get('/v1/admin/metrics?node=999999')).status).toBe(404)
  for (const wrong of ['0', 'x', '1.5', '1e0', '0x1', '%201', '']) {
    for (const list of ['metrics', 'actors', 'signals', 'log']) {
      expect((await one.get(`/v1/admin/${list}?node=${wrong}`)).status, `${list} ${wrong}`).toBe(400)
    }
  }
  between.loses = () => true
  const lonely = await read()
  expect(lonely).toContain(`service_node_up{${of(other)}} 0\n`)
  expect(lonely).not.toContain(`service_ready{${of(other)}}`)
})

test('channels, signals and actors are those of all nodes at each, or of the one that is named', async () => {
  const { nodes, between } = await twoNodes()
  const [one, other] = nodes
  for (const at of nodes) at.endpoint.always((call) => call.openStream())
  // Several senders at each, so that both have conversations whose turn runs.
  const posted = await Promise.all(
    Array.from({ length: 12 }, (_, sender) =>
      (sender % 3 === 0 ? other : one).post('/v1/inbound', {
        channel: 'generic',
        external_id: `sender ${sender}`,
        text: 'hello',
      }),
    ),
  )
  expect(posted.map(({ status }) => status)).toEqual(Array(12).fill(202))
  const signals = async (at: typeof one, query = '') =>
    (await jsonOf(await at.get(`/v1/admin/signals${query}`))) as {
      channels: [{ waiting: number; running: number; intake: { accepted: number } }]
      silent_nodes: number
    }
  for (const at of nodes) {
    await expect
      .poll(() => signals(at))
      .toMatchObject({ channels: [{ running: 12, waiting: 0, intake: { accepted: 12 } }] })
    expect(await signals(at, `?node=${other.gateway.node}`)).toMatchObject({ channels: [{ intake: { accepted: 4 } }] })
    const [channel] = ((await jsonOf(await at.get('/v1/admin/channels'))) as { items: object[] }).items
    expect(channel).toMatchObject({ waiting_turns: 0, connection: { status: 'none' } })
  }
  const running = await Promise.all(nodes.map(({ gateway: { node } }) => signals(one, `?node=${node}`)))
  expect(running.map(({ channels: [channel] }) => channel.running)).not.toContain(0)
  const actors = async (node: number | string) => await one.get(`/v1/admin/actors?kind=conversation&node=${node}`)
  for (const [at, { gateway }] of nodes.entries()) {
    const page = (await jsonOf(await actors(gateway.node))) as { node: number; items: object[] }
    expect(page.node).toBe(gateway.node)
    expect(page.items).toHaveLength(running[at]?.channels[0].running ?? -1)
  }
  expect(await jsonOf(await one.get('/v1/admin/about'))).toMatchObject({ this_node: one.gateway.node })
  expect(await jsonOf(await one.get('/readyz'))).toEqual({ status: 'ready', node: one.gateway.node })
  between.loses = () => true
  expect(await signals(one)).toMatchObject({ channels: [{ intake: { accepted: 8 } }], silent_nodes: 1 })
  expect((await actors(other.gateway.node)).status).toBe(503)
  expect((await actors(4_000)).status).toBe(404)
  expect((await actors('all')).status).toBe(400)
})
