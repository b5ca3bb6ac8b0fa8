/** Connections: capped, drained, closed within a bound, and a port that is taken is said to be. */
import { afterEach, expect, it } from 'vitest'
import { open } from '../../http/access.ts'
import { route } from '../../http/route.ts'
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

it('past the cap a connection is closed at once, and the others go on', async () => {
  const test = await start({ connectionsMax: 5 })
  const clients = await Promise.all(Array.from({ length: 5 }, () => rawClient(test.port)))
  await expect.poll(() => test.gateway.connections).toBe(5)
  const sixth = await rawClient(test.port)
  await sixth.untilClosed()
  expect(test.gateway.refused).toBe(1)
  const first = clients[0]
  first?.send(get('/ok'))
  await first?.untilText('{"ok":true}')
  clients[1]?.destroy()
  await expect.poll(() => test.gateway.connections).toBe(4)
  const seventh = await rawClient(test.port, get('/ok'))
  await seventh.untilText('{"ok":true}')
  for (const client of [...clients, seventh]) client.destroy()
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
