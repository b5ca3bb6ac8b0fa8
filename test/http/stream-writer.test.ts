/** Event streams: at once to a reader that keeps up, bounded ahead of one that does not, gone with one that leaves. */

import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open } from '../../http/access.ts'
import { eventStream } from '../../http/answer.ts'
import { route } from '../../http/route.ts'
import type { StreamWriter } from '../../http/server/stream-writer.ts'
import { get, type RawClient, rawClient } from './support/raw-client.ts'
import { type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const outs: StreamWriter[] = []
const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({
    ...face,
    method: 'GET',
    path: '/stream',
    handle: () =>
      eventStream({ 'x-mine': 'yes' }, (out) => {
        outs.push(out)
      }),
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes, { streamBytesMax: 262_144 })
})
afterAll(() => test.stop())

async function opened(): Promise<{ client: RawClient; out: StreamWriter }> {
  outs.length = 0
  const client = await rawClient(test.port, get('/stream'))
  await expect.poll(() => outs.length).toBe(1)
  const out = outs[0]
  if (!out) throw new Error('the stream did not begin')
  return { client, out }
}

/** The bodies of the chunks that arrived so far. The library ends a chunk only when it begins the next one. */
function chunks(text: string): string[] {
  const found: string[] = []
  let rest = text.slice(text.indexOf('\r\n\r\n') + 4)
  for (;;) {
    const line = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, line), 16)
    if (line < 0 || !(length > 0) || rest.length < line + 2 + length) return found
    found.push(rest.slice(line + 2, line + 2 + length))
    rest = rest.slice(line + 4 + length)
  }
}

/** A client that reads nothing until it is told to. */
async function stalled(): Promise<{
  socket: ReturnType<typeof connect>
  out: StreamWriter
  read: () => Promise<number>
}> {
  outs.length = 0
  const socket = connect({ port: test.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.pause()
  socket.write(get('/stream'))
  await expect.poll(() => outs.length).toBe(1)
  const out = outs[0]
  if (!out) throw new Error('the stream did not begin')
  let bytes = 0
  const read = () =>
    new Promise<number>((resolve) => {
      socket.on('data', (data) => {
        bytes += data.length
      })
      socket.on('close', () => resolve(bytes))
      socket.on('end', () => resolve(bytes))
      socket.resume()
    })
  return { socket, out, read }
}

/** Writes until the socket is full. Returns the bytes written. */
async function fill(out: StreamWriter, event: string): Promise<number> {
  let written = 0
  for (let round = 0; round < 10_000; round++) {
    written += event.length
    if (!out.write(event)) return written
    await nextTurn()
  }
  throw new Error('the socket never filled')
}

describe('a reader that keeps up', () => {
  it('gets status and headers with the first event', async () => {
    const { client, out } = await opened()
    out.write('data: first\n\n')
    await client.untilText('data: first')
    expect(client.received).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(client.received).toContain('content-type: text/event-stream; charset=utf-8')
    expect(client.received).toContain('cache-control: no-store')
    expect(client.received).toContain('x-mine: yes')
    out.end()
    client.destroy()
  })

  it('gets each event of its own turn as a chunk of its own', async () => {
    const { client, out } = await opened()
    for (let event = 0; event < 3; event++) {
      out.write(`data: ${event}\n\n`)
      await client.untilText(`data: ${event}\n\n`)
    }
    out.end()
    await client.untilText('0\r\n\r\n')
    expect(chunks(client.received)).toEqual(['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n'])
    client.destroy()
  })

  it('gets the first event of a burst at once and the rest of that turn in one chunk', async () => {
    const { client, out } = await opened()
    for (let event = 0; event < 50; event++) out.write(`data: ${event}\n\n`)
    await client.untilText('data: 49\n\n')
    const got = chunks(client.received)
    expect(got).toHaveLength(2)
    expect(got[0]).toBe('data: 0\n\n')
    expect(got.join('')).toBe(Array.from({ length: 50 }, (_, event) => `data: ${event}\n\n`).join(''))
    out.end()
    client.destroy()
  })

  it('gets what was written in the turn that ended the stream', async () => {
    const { client, out } = await opened()
    out.write('data: a\n\n')
    out.write('data: b\n\n')
    out.end()
    const text = await client.untilText('0\r\n\r\n')
    expect(chunks(text).join('')).toBe('data: a\n\ndata: b\n\n')
    client.send(get('/ok'))
    await client.untilText('{"ok":true}')
    client.destroy()
  })

  it('gets an event larger than any buffer whole, its characters unbroken', async () => {
    const { client, out } = await opened()
    const event = `data: ${'ёж🦔'.repeat(40_000)}\n\n`
    out.write(event)
    out.end()
    await client.untilText('0\r\n\r\n')
    expect(Buffer.from(chunks(client.received).join(''), 'latin1').toString()).toBe(event)
    client.destroy()
  })
})

describe('a reader that stands still', () => {
  it('makes write say false, is told when it reads again, and gets every byte without another write', async () => {
    const { out, read, socket } = await stalled()
    const written = await fill(out, `data: ${'x'.repeat(30_000)}\n\n`)
    expect(out.bytesWaiting).toBeGreaterThan(0)
    const drained = new Promise<void>((resolve) => out.onDrain(resolve))
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
    })
    socket.resume()
    await drained
    // Nothing more is said: the library's own buffer must be sent all the same.
    await expect.poll(() => bytes).toBeGreaterThan(written)
    expect(out.bytesWaiting).toBe(0)
    const all = read()
    out.end()
    await expect.poll(() => test.gateway.running).toBe(0)
    socket.end()
    await all
  })

  it('gets all of it and the end, when the stream was ended meanwhile', async () => {
    const { out, socket } = await stalled()
    const written = await fill(out, `data: ${'x'.repeat(30_000)}\n\n`)
    out.end()
    expect(out.signal.aborted).toBe(false)
    let tail = ''
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
      tail = (tail + data.toString('latin1')).slice(-10)
    })
    socket.resume()
    await expect.poll(() => tail.endsWith('0\r\n\r\n')).toBe(true)
    expect(bytes).toBeGreaterThan(written)
    socket.destroy()
  })

  it('never has more than the bound waiting: a writer that goes on is cut off with its reader', async () => {
    const { out, socket } = await stalled()
    const event = `data: ${'x'.repeat(30_000)}\n\n`
    await fill(out, event)
    const cutOff = test.edge.counts.cutOff
    let most = 0
    for (let round = 0; round < 20 && !out.signal.aborted; round++) {
      out.write(event)
      most = Math.max(most, out.bytesWaiting)
    }
    expect(out.signal.aborted).toBe(true)
    expect(most).toBeLessThanOrEqual(262_144 + 16_384)
    expect(out.bytesWaiting).toBe(0)
    expect(test.edge.counts.cutOff).toBe(cutOff + 1)
    expect(out.write('data: late\n\n')).toBe(true)
    expect(test.gateway.running).toBe(0)
    socket.destroy()
  })

  it('keeps memory flat when the writer obeys, however long the stream', async () => {
    const { out, socket } = await stalled()
    const event = `data: ${'x'.repeat(60_000)}\n\n`
    let most = 0
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
    })
    socket.resume()
    for (let sent = 0; sent < 600; sent++) {
      if (!out.write(event)) await new Promise<void>((resolve) => out.onDrain(resolve))
      most = Math.max(most, out.bytesWaiting)
      if (sent % 20 === 0) await nextTurn()
    }
    expect(most).toBeLessThan(262_144)
    await expect.poll(() => bytes).toBeGreaterThan(600 * 60_000)
    out.end()
    socket.destroy()
  })
})

describe('a reader that leaves', () => {
  it('aborts the signal, with its reason, whenever that was first asked for', async () => {
    const { client, out } = await opened()
    client.destroy()
    await expect.poll(() => test.gateway.running).toBe(0)
    expect(out.signal.aborted).toBe(true)
    expect(out.signal.reason).toMatchObject({ code: 'client_gone' })
    expect(out.write('data: late\n\n')).toBe(true)
    out.end()
  })

  it('together with 999 others, in mid-stream, leaves nothing behind', async () => {
    outs.length = 0
    const aborted = { count: 0 }
    const clients: RawClient[] = []
    for (let batch = 0; batch < 10; batch++) {
      clients.push(...(await Promise.all(Array.from({ length: 100 }, () => rawClient(test.port, get('/stream'))))))
    }
    await expect.poll(() => outs.length).toBe(1_000)
    for (const out of outs) {
      out.signal.addEventListener('abort', () => {
        aborted.count++
      })
      out.write('data: first\n\n')
    }
    for (const client of clients) client.destroy()
    await expect.poll(() => test.gateway.running).toBe(0)
    for (const out of outs) out.write('data: late\n\n')
    expect(aborted.count).toBe(1_000)
    await expect.poll(() => test.gateway.connections).toBeLessThanOrEqual(1)
    expect((await fetch(`${test.url}/ok`)).status).toBe(200)
  })
})

it('HEAD of a stream has its headers and begins nothing', async () => {
  outs.length = 0
  const answer = await fetch(`${test.url}/stream`, { method: 'HEAD' })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  expect(outs).toEqual([])
})

it('a stream that ends without an event is an empty answer, and its connection goes on', async () => {
  const { client, out } = await opened()
  out.end()
  await client.untilText('Content-Length: 0')
  client.send(get('/ok'))
  await client.untilText('{"ok":true}')
  client.destroy()
})
