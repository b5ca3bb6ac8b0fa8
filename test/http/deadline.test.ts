/** A handler that never answers: the library would wait for ever, so we do not. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { open } from '../../http/access.ts'
import { eventStream } from '../../http/answer.ts'
import { route } from '../../http/route.ts'
import type { StreamWriter } from '../../http/server/stream-writer.ts'
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts'
import { get, rawClient } from './support/raw-client.ts'
import { type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
let signal: AbortSignal | undefined
let release: (answer: object) => void = () => {}
let out: StreamWriter | undefined
const hang = (call: { signal: AbortSignal }) => {
  signal = call.signal
  return new Promise<object>((resolve) => {
    release = resolve
  })
}
const routes = [
  route({ ...face, method: 'GET', path: '/hangs', handle: hang }),
  route({ ...face, method: 'GET', path: '/hangs-briefly', deadlineMs: 1_000, handle: hang }),
  route({
    ...face,
    method: 'GET',
    path: '/stream',
    handle: () =>
      eventStream({}, (writer) => {
        out = writer
      }),
  }),
]

let test: TestGateway
let clock: VirtualClock
beforeAll(async () => {
  clock = virtualClock()
  test = await testGateway(routes, { clock, policy: { deadlineMs: 300_000 } })
})
afterAll(() => test.stop())
beforeEach(() => {
  signal = undefined
  out = undefined
})

it('a handler that never answers gives 504 at the deadline, and its work is aborted', async () => {
  const client = await rawClient(test.port, get('/hangs'))
  await expect.poll(() => signal).toBeDefined()
  await clock.advance(299_000)
  expect(client.received).toBe('')
  await clock.advance(1_500)
  const text = await client.untilText('deadline_exceeded')
  expect(text).toMatch(/^HTTP\/1\.1 504 /)
  expect(signal?.aborted).toBe(true)
  expect(signal?.reason).toMatchObject({ code: 'deadline_exceeded' })
  client.destroy()
})

it('what it answers after that goes nowhere and harms nothing', async () => {
  const late = test.edge.counts.late
  release({ late: true })
  await expect.poll(() => test.edge.counts.late).toBe(late + 1)
  expect(test.gateway.running).toBe(0)
})

it('a route may have a deadline of its own', async () => {
  const client = await rawClient(test.port, get('/hangs-briefly'))
  await expect.poll(() => signal).toBeDefined()
  await clock.advance(1_500)
  await client.untilText('deadline_exceeded')
  client.destroy()
})

it('a stream outlives the deadline of its request', async () => {
  const client = await rawClient(test.port, get('/stream'))
  await expect.poll(() => out).toBeDefined()
  await clock.advance(900_000)
  out?.write('data: still here\n\n')
  await client.untilText('data: still here')
  out?.end()
  await client.untilText('0\r\n\r\n')
  client.destroy()
})

it('finished requests leave no deadline behind', async () => {
  const client = await rawClient(test.port, get('/hangs'))
  await expect.poll(() => signal).toBeDefined()
  release({ ok: true })
  await client.untilText('{"ok":true}')
  const expired = test.edge.counts.expired
  await clock.advance(400_000)
  expect(test.edge.counts.expired).toBe(expired)
  expect(clock.timersWaiting).toBe(0)
  client.destroy()
})
