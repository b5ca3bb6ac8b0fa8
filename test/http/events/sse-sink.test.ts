/** A reader over server-sent events: a sign of life while nothing happens, and no timer that outlives its stream. */
import { afterEach, expect, test } from 'vitest'
import type { Services } from '../../../actors/services.ts'
import { SseSink } from '../../../http/events/sse-sink.ts'
import { streamEvents } from '../../../http/events/stream.ts'
import type { StreamWriter } from '../../../http/server/stream-writer.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { get, rawClient } from '../support/raw-client.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from '../support/server.ts'

let gateway: TestGateway | undefined
afterEach(() => gateway?.stop())

function recordingOut() {
  const written: string[] = []
  const drains: (() => void)[] = []
  const going = new AbortController()
  const out: StreamWriter & { isEnded: boolean } = {
    isEnded: false,
    bytesWaiting: 0,
    signal: going.signal,
    write: (piece) => written.push(String(piece)) > 0,
    onDrain: (fire) => void drains.push(fire),
    end() {
      this.isEnded = true
    },
  }
  return { out, written, drains, going }
}

const feed = () => '0123abcd'

test('hears a heartbeat every 15 seconds, and a heartbeat is no event', async () => {
  const clock = virtualClock()
  const { out, written } = recordingOut()
  new SseSink(out, feed, clock).live({ xid: 36n, id: 1n })
  expect(written.splice(0)).toEqual([
    'retry: 2000\n\n',
    'id: 0123abcd-10-1\nevent: ready\ndata: {"kind":"ready","cursor":"0123abcd-10-1"}\n\n',
  ])
  await clock.advance(14_999)
  expect(written).toEqual([])
  await clock.advance(1)
  expect(written).toEqual([': heartbeat\n\n'])
  await clock.advance(30_000)
  expect(written).toEqual([': heartbeat\n\n', ': heartbeat\n\n', ': heartbeat\n\n'])
})

test('has no timer left once it is gone, was told the end, or its feed broke off', async () => {
  for (const ending of ['gone', 'end', 'broke'] as const) {
    const clock = virtualClock()
    const { out, going } = recordingOut()
    const sink = new SseSink(out, feed, clock)
    await clock.advance(20_000)
    expect(clock.timersWaiting).toBe(1)
    if (ending === 'gone') going.abort()
    else if (ending === 'end') sink.end()
    else sink.stopHeartbeat()
    expect(clock.timersWaiting).toBe(0)
    expect(out.isEnded).toBe(ending === 'end')
  }
})

test('waits for room until the reader has caught up, or is gone', async () => {
  const { out, drains, going } = recordingOut()
  const sink = new SseSink(out, feed, virtualClock())
  const first = sink.room()
  drains[0]?.()
  await first
  const second = sink.room()
  going.abort()
  await second
})

test('a feed that cannot be read ends the stream with an error, and leaves no timer behind', async () => {
  const clock = virtualClock()
  const down = { name: '', hold: () => Promise.reject(new Error('the database is away')) }
  gateway = await testGateway([streamEvents], {
    clock,
    keys: fixedKeys({ 'sk-reader': principal('admin:read') }),
    app: { services: { feed: down } as unknown as Services },
  })
  const before = clock.timersWaiting
  const client = await rawClient(gateway.port, get('/v1/events/stream', 'Authorization: Bearer sk-reader\r\n'))
  await client.untilText('0\r\n\r\n')
  expect(client.received).toContain('event: error\ndata: {"error":')
  expect(client.received).not.toContain('the database is away')
  client.destroy()
  await expect.poll(() => gateway?.gateway.running).toBe(0)
  await clock.advance(60_000)
  expect(clock.timersWaiting).toBe(before)
})
