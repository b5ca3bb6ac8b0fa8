/** An answer of text that is made while it is sent: at the pace of its reader, whole or visibly cut off. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { open } from '../../http/access.ts'
import { rawStream } from '../../http/answer.ts'
import { route } from '../../http/route.ts'
import type { StreamWriter } from '../../http/server/stream-writer.ts'
import { rawClient } from './support/raw-client.ts'
import { type TestGateway, testGateway } from './support/server.ts'

let run: (out: StreamWriter) => Promise<void>
const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const routes = [
  route({
    ...face,
    method: 'GET',
    path: '/file',
    handle: () => rawStream('text/plain; charset=utf-8', { 'x-of-the-answer': 'yes' }, (out) => run(out)),
  }),
]
let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes)
})
afterAll(() => test.stop())
beforeEach(() => {
  test.lines.length = 0
})

it('comes with its type and headers, piece by piece, and ends', async () => {
  run = async (out) => {
    out.write('one ')
    await new Promise(setImmediate)
    out.write('two')
  }
  const answer = await fetch(`${test.url}/file`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.headers.get('x-of-the-answer')).toBe('yes')
  expect(await answer.text()).toBe('one two')
})

it('that says nothing is an empty answer', async () => {
  run = async () => {}
  const answer = await fetch(`${test.url}/file`)
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})

it('HEAD gets the head, and nothing is made', async () => {
  let isRun = false
  run = async () => {
    isRun = true
  }
  const answer = await fetch(`${test.url}/file`, { method: 'HEAD' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(isRun).toBe(false)
})

it('a reader that stands still stops the writer, and lets it go on', async () => {
  const piece = 'x'.repeat(65_536)
  const pieces = 1_000
  let written = 0
  const stopped = Promise.withResolvers<void>()
  run = async (out) => {
    for (; written < pieces; written++) {
      if (out.write(piece)) continue
      stopped.resolve()
      await new Promise<void>((resolve) => out.onDrain(resolve))
    }
  }
  const client = await rawClient(test.port)
  client.socket.pause()
  client.send('GET /file HTTP/1.1\r\nhost: x\r\n\r\n')
  await stopped.promise
  expect(written).toBeLessThan(pieces)
  let bytes = 0
  const ended = Promise.withResolvers<void>()
  client.socket.removeAllListeners('data')
  client.socket.on('data', (text: string) => {
    bytes += text.length
    if (text.endsWith('\r\n0\r\n\r\n')) ended.resolve()
  })
  client.socket.resume()
  await ended.promise
  expect(written).toBe(pieces)
  expect(bytes).toBeGreaterThan(pieces * piece.length)
  client.socket.destroy()
})

it('that fails on its way is cut off, so that nobody takes it for whole, and is logged', async () => {
  run = async (out) => {
    out.write('half')
    await new Promise(setImmediate)
    throw new Error('the second half is gone')
  }
  const answer = await fetch(`${test.url}/file`)
  await expect(answer.text()).rejects.toThrow()
  expect(test.lines.map(({ msg }) => msg)).toContain('defect in a request handler')
})

it('a client that goes away ends the work, and is no defect', async () => {
  const ended = Promise.withResolvers<void>()
  run = async (out) => {
    out.write('half')
    await new Promise<void>((_, reject) =>
      out.signal.addEventListener('abort', () => reject(out.signal.reason)),
    ).finally(() => ended.resolve())
  }
  const client = await rawClient(test.port)
  client.send('GET /file HTTP/1.1\r\nhost: x\r\n\r\n')
  await client.untilText('half')
  client.socket.destroy()
  await ended.promise
  await new Promise(setImmediate)
  expect(test.lines.map(({ msg }) => msg)).not.toContain('defect in a request handler')
})
