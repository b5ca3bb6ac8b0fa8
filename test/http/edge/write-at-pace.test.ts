/** Writing at the pace of a reader, over real sockets: all of it arrives, and the waits leave nothing behind. */
import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { open } from '../../../http/access.ts'
import { rawStream } from '../../../http/answer.ts'
import { writeAtPace } from '../../../http/edge/write-at-pace.ts'
import { route } from '../../../http/route.ts'
import type { StreamWriter } from '../../../http/server/stream-writer.ts'
import { type TestGateway, testGateway } from '../support/server.ts'

let run: (out: StreamWriter) => Promise<void>
const file = route({
  ...{ method: 'GET', path: '/file', tag: 'test', summary: 'test', access: open, answers: {} },
  handle: () => rawStream('text/plain; charset=utf-8', {}, (out) => run(out)),
})
let test: TestGateway
beforeAll(async () => {
  test = await testGateway([file], { streamBytesMax })
})
afterAll(() => test.stop())

const pieces = 400
const streamBytesMax = 262_144
const piece = 'x'.repeat(65_536)

it('a slow reader gets all of it, and no wait leaves a listener behind', async () => {
  let [waits, listenersMost, bytesMost] = [0, 0, 0]
  const listeners = Promise.withResolvers<number>()
  run = async (out) => {
    for (let count = 0; count < pieces; count++) {
      const waiting = writeAtPace(out, piece)
      if (waiting) waits++
      listenersMost = Math.max(listenersMost, getEventListeners(out.signal, 'abort').length)
      bytesMost = Math.max(bytesMost, out.bytesWaiting)
      await waiting
    }
    listeners.resolve(getEventListeners(out.signal, 'abort').length)
  }
  const { body } = await fetch(`${test.url}/file`)
  let bytes = 0
  for await (const part of body as ReadableStream<Uint8Array>) {
    bytes += part.length
    await new Promise(setImmediate)
  }
  expect(bytes).toBe(pieces * piece.length)
  expect(waits).toBeGreaterThan(10)
  expect(listenersMost).toBeLessThanOrEqual(1)
  expect(await listeners.promise).toBe(0)
  expect(bytesMost).toBeLessThanOrEqual(streamBytesMax + piece.length)
})

it('a reader that leaves ends the wait', async () => {
  const blocked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<boolean>()
  run = async (out) => {
    for (let waiting = writeAtPace(out, piece); !out.signal.aborted; waiting = writeAtPace(out, piece)) {
      if (waiting) blocked.resolve()
      await waiting
    }
    ended.resolve(out.signal.aborted)
  }
  const leaving = new AbortController()
  await fetch(`${test.url}/file`, { signal: leaving.signal })
  await blocked.promise
  leaving.abort()
  expect(await ended.promise).toBe(true)
})
