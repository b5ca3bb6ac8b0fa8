/** Connections: capped, drained, closed within a bound, and a port that is taken is said to be. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { open } from '../../http/access.ts'
import { clientNetwork } from '../../http/auth/client-network.ts'
import { route } from '../../http/route.ts'
import { openByKernel } from '../../http/server/connection-shares.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { get, rawClient } from './support/raw-client.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
let release: (answer: object) => void = () => {}
let running = 0
const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({ ...face, method: 'GET', path: '/probe', isAnsweredWhileDraining: true, handle: () => ({ probe: true }) }),
  route({
    ...face,
    method: 'GET',
    path: '/waits',
    handle: () => {
      running++
      return new Promise<object>((resolve) => {
        release = resolve
      })
    },
  }),
]

const started: TestGateway[] = []
async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const test = await testGateway(routes, options)
  started.push(test)
  running = 0
  return test
}
afterEach(async () => {
  for (const test of started.splice(0)) await test.stop()
})

/** From another address each. */
const from = (test: TestGateway, at: number, firstBytes = '') => rawClient(test.port, firstBytes, `127.0.0.${10 + at}`)

it('past the cap a connection is closed at once, and the others go on', async () => {
  const test = await start({ connectionsMax: 5 })
  const clients = await Promise.all(Array.from({ length: 5 }, (_, at) => from(test, at)))
  await expect.poll(() => test.gateway.connections).toBe(5)
  const sixth = await from(test, 6)
  await sixth.untilClosed()
  expect(test.gateway.refused).toBe(1)
  const first = clients[0]
  first?.send(get('/ok'))
  await first?.untilText('{"ok":true}')
  clients[1]?.destroy()
  await expect.poll(() => test.gateway.connections).toBe(4)
  const seventh = await from(test, 7, get('/ok'))
  await seventh.untilText('{"ok":true}')
  for (const client of [...clients, seventh]) client.destroy()
})

it('one address has half of the connections at most, however many it opens, and others get theirs', async () => {
  const test = await start({ connectionsMax: 40 })
  const greedy = await Promise.all(Array.from({ length: 90 }, () => rawClient(test.port, '', '127.0.0.2')))
  await expect.poll(() => test.gateway.refused).toBe(70)
  expect(test.gateway.connections).toBe(20)
  for (let at = 0; at < 20; at++) await (await from(test, at, get('/ok'))).untilText('{"ok":true}')
  for (const client of greedy) client.destroy()
})

it('what an address has closed it may open again, also past the half', async () => {
  const clock = virtualClock()
  const test = await start({ connectionsMax: 40, clock })
  const others = await Promise.all(Array.from({ length: 18 }, (_, at) => from(test, at)))
  for (let round = 0; round < 5; round++) {
    const clients = await Promise.all(Array.from({ length: 10 }, () => rawClient(test.port, '', '127.0.0.2')))
    await expect.poll(() => test.gateway.connections).toBeGreaterThan(18)
    for (const client of clients) client.destroy()
    await expect.poll(() => test.gateway.connections).toBe(18)
    await clock.advance(1_100)
  }
  // Counted too many by now, it is refused once; then the kernel has been asked.
  await expect
    .poll(async () => {
      await clock.advance(1_100)
      const clients = await Promise.all(Array.from({ length: 15 }, () => rawClient(test.port, get('/ok'), '127.0.0.2')))
      await Promise.all(clients.map((client) => client.until(({ received, isClosed }) => received !== '' || isClosed)))
      const answered = clients.filter(({ received }) => received.includes('{"ok":true}')).length
      for (const client of clients) client.destroy()
      await expect.poll(() => test.gateway.connections).toBe(18)
      return answered
    })
    .toBe(15)
  for (const client of others) client.destroy()
})

it('the kernel tells who has how many open, of both kinds of addresses', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '::')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = [
    ...['127.0.0.3', '127.0.0.3', '127.0.0.4'].map((localAddress) =>
      connect({ port, host: '127.0.0.1', localAddress }),
    ),
    connect({ port, host: '::1' }),
  ]
  await expect.poll(() => sockets.length).toBe(4)
  const found = await openByKernel(new Set([port]), clientNetwork)
  expect(Object.fromEntries(found ?? [])).toEqual({ '127.0.0.3': 2, '127.0.0.4': 1, '0:0:0:0::/64': 1 })
  for (const client of clients) client.destroy()
  server.close()
})

it('a trusted proxy may have them all', async () => {
  const isTrustedProxy = (address: string) => address === '127.0.0.2'
  const test = await start({ connectionsMax: 20, policy: { isTrustedProxy } })
  const clients = await Promise.all(Array.from({ length: 20 }, () => rawClient(test.port, get('/ok'), '127.0.0.2')))
  for (const client of clients) await client.untilText('{"ok":true}')
  expect(test.gateway.refused).toBe(0)
  for (const client of clients) client.destroy()
})

it('a draining server finishes what runs, answers 503 to what is new, lets probes through and closes each connection', async () => {
  const test = await start()
  const busy = await rawClient(test.port, get('/waits'))
  const kept = await rawClient(test.port, get('/ok'))
  const probing = await rawClient(test.port, get('/ok'))
  await kept.untilText('{"ok":true}')
  await probing.untilText('{"ok":true}')
  await expect.poll(() => running).toBe(1)
  test.gateway.drain()
  kept.received = ''
  kept.send(get('/ok'))
  const refused = await kept.untilClosed()
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused.match(/connection: close/gi)).toHaveLength(1)
  expect(refused).toContain('"code":"draining"')
  probing.send(get('/probe'))
  expect(await probing.untilClosed()).toContain('{"probe":true}')
  await expect(rawClient(test.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const closed = test.gateway.close(10_000)
  release({ finished: true })
  await closed
  expect(await busy.untilClosed()).toContain('{"finished":true}')
})

it('close does not wait for longer than its grace', async () => {
  const test = await start()
  const busy = await rawClient(test.port, get('/waits'))
  await expect.poll(() => running).toBe(1)
  await test.gateway.close(50)
  await busy.untilClosed()
  expect(test.gateway.running).toBe(0)
  release({ late: true })
})

it('a port that another server holds is refused with its name', async () => {
  const test = await start()
  const other = await start()
  expect(() => other.gateway.listen({ host: '127.0.0.1', port: test.port })).toThrowError(
    expect.objectContaining({ code: 'port_taken', message: expect.stringContaining(String(test.port)) }),
  )
  const wide = await start()
  const port = wide.gateway.listen({ host: '', port: 0 })
  expect(() => other.gateway.listen({ host: '', port })).toThrowError(expect.objectContaining({ code: 'port_taken' }))
})
