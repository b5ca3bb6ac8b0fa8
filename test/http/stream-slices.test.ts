/**
 * How much an event stream hands to the library, whose own buffer has no bound and cannot be asked. A stand-in for its
 * response, because that is the one thing a socket cannot show.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { expect, it } from 'vitest'
import { UwsEventStream } from '../../http/server/event-stream.ts'

function stream() {
  const writes: number[] = []
  const state = { isFull: false, writable: () => {} }
  const response = {
    cork: (work: () => void) => work(),
    write(piece: string | Uint8Array) {
      writes.push(Buffer.byteLength(piece))
      return !state.isFull
    },
    onWritable(handler: (offset: number) => boolean) {
      state.writable = () => handler(0)
    },
    end() {},
    close() {},
  } as unknown as HttpResponse
  const hooks = { begin() {}, signal: () => new AbortController().signal, finished() {} }
  return { out: new UwsEventStream(response, { bytesMax: 1_000_000 }, hooks), writes, state }
}

it('a large event goes over in pieces, and stops at the first that the socket does not take', () => {
  const { out, writes, state } = stream()
  out.write('x'.repeat(100_000))
  expect(Math.max(...writes)).toBe(16_384)
  expect(writes.reduce((sum, bytes) => sum + bytes)).toBe(100_000)
  writes.length = 0
  state.isFull = true
  expect(stream().out.write('x')).toBe(true)
  const blocked = stream()
  blocked.state.isFull = true
  expect(blocked.out.write('x'.repeat(100_000))).toBe(false)
  expect(blocked.writes).toEqual([16_384])
  expect(blocked.out.bytesWaiting).toBe(100_000)
})

it('a socket that says it is writable, and is not, gets little more each time', () => {
  const { out, writes, state } = stream()
  state.isFull = true
  out.write('x'.repeat(100_000))
  for (let round = 0; round < 10; round++) state.writable()
  expect(writes).toEqual([16_384, ...Array(10).fill(512)])
  state.isFull = false
  state.writable()
  expect(writes.reduce((sum, bytes) => sum + bytes)).toBe(100_000)
  expect(out.bytesWaiting).toBe(0)
})

it('a drain that happened lets the next event go in one piece again', () => {
  const { out, writes, state } = stream()
  state.isFull = true
  out.write('y'.repeat(1_000))
  state.isFull = false
  let drains = 0
  out.onDrain(() => drains++)
  state.writable()
  state.writable()
  expect(drains).toBe(1)
  writes.length = 0
  out.write('z'.repeat(600))
  out.write('later')
  expect(writes).toEqual([512, 88])
})
