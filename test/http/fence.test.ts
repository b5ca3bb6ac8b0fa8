/** Our own parts may be broken too: an exception of theirs in a callback of the library must not end the process. */
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { key, open } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { noTracer, type Tracer } from '../../runtime/telemetry/trace.ts'
import { get, post, rawClient } from './support/raw-client.ts'
import { principal, type TestGateway, type TestGatewayOptions, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', answers: {} } as const
let entered: () => void = () => {}
const body = z.object({}).refine(() => {
  throw new Error('a validator that throws')
})
const routes = [
  route({ ...face, access: open, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({ ...face, access: open, method: 'POST', path: '/validated', body, handle: () => ({ ok: true }) }),
  route({ ...face, access: key('chat'), method: 'GET', path: '/keyed', handle: () => ({ ok: true }) }),
  route({
    ...face,
    access: open,
    method: 'GET',
    path: '/waits',
    handle: () => {
      entered()
      return new Promise<object>(() => {})
    },
  }),
]

let test: TestGateway
async function start(options: TestGatewayOptions): Promise<void> {
  test = await testGateway(routes, options)
}
afterEach(() => test.stop())

async function expectDefect(path: string, headers = ''): Promise<void> {
  const client = await rawClient(test.port, get(path, headers))
  expect(await client.untilText('"code":"SVC-')).toMatch(/^HTTP\/1\.1 500 /)
  client.destroy()
  expect(test.lines.filter((line) => line.level >= 50)).toHaveLength(1)
}

const bearer = 'Authorization: Bearer sk-any\r\n'
const broken = () => {
  throw new Error('broken inside')
}

it('a key ring that throws is a 500', async () => {
  await start({ keys: { authenticate: broken, currentPrincipal: async () => undefined, forget() {}, close() {} } })
  await expectDefect('/keyed', bearer)
})

it('a key ring that rejects is a 500', async () => {
  await start({
    keys: { authenticate: async () => broken(), currentPrincipal: async () => undefined, forget() {}, close() {} },
  })
  await expectDefect('/keyed', bearer)
})

it('a limiter that throws is a 500, whether the key is known at once or later', async () => {
  for (const authenticate of [() => principal('chat'), async () => principal('chat')]) {
    await start({
      keys: { authenticate, currentPrincipal: async () => undefined, forget() {}, close() {} },
      limits: { take: broken },
    })
    await expectDefect('/keyed', bearer)
    await test.stop()
  }
})

it('a validator that throws in the callback that brings the body is a 500', async () => {
  await start({})
  const client = await rawClient(test.port, post('/validated', '{}'))
  expect(await client.untilText('"code":"SVC-')).toMatch(/^HTTP\/1\.1 500 /)
  client.send(get('/ok'))
  await client.untilText('{"ok":true}')
  client.destroy()
})

it('a tracer that throws at the end of a span costs a log line, for answers and for aborts', async () => {
  const tracer: Tracer = { ...noTracer, isEnabled: true, span: () => ({ ...noTracer.span(''), end: broken }) }
  await start({ tracer })
  expect(await (await fetch(`${test.url}/ok`)).json()).toEqual({ ok: true })
  const isIn = new Promise<void>((resolve) => {
    entered = resolve
  })
  const client = await rawClient(test.port, get('/waits'))
  await isIn
  client.destroy()
  await expect.poll(() => test.gateway.running).toBe(0)
  await expect.poll(() => test.lines.filter((line) => line.level >= 50).length).toBe(2)
  expect((await fetch(`${test.url}/ok`)).status).toBe(200)
})

it('a tracer that throws at the start of a span is a 500', async () => {
  await start({ tracer: { ...noTracer, isEnabled: true, span: broken } })
  await expectDefect('/ok')
})
