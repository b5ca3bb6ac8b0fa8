/**
 * How much an event stream hands to the library, whose own buffer has no bound and cannot be asked. A stand-in for its
 * response, because that is the one thing a socket cannot show.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { expect, it } from 'vitest'
import { UwsStreamWriter } from '../../http/server/stream-writer.ts'

function stream() {
  const writes: number[] = []
  const taken: Uint8Array[] = []
  const ended = { corks: 0, inCork: 0 }
  const state = { isFull: false, writable: () => {} }
  const response = {
    cork(work: () => void) {
      ended.corks++
      work()
    },
    write(piece: string | Uint8Array) {
      writes.push(Buffer.byteLength(piece))
      taken.push(Uint8Array.from(Buffer.from(piece as Uint8Array)))
      return !state.isFull
    },
    onWritable(handler: (offset: number) => boolean) {
      state.writable = () => handler(0)
    },
    end() {
      ended.inCork = ended.corks
    },
    close() {},
  } as unknown as HttpResponse
  const hooks = { begin() {}, signal: () => new AbortController().signal, finished() {} }
  return { out: new UwsStreamWriter(response, { bytesMax: 1_000_000 }, hooks), writes, taken, ended, state }
}

it('a large event goes over in pieces, and stops at the first that the socket does not take', () => {
  const { out, writes, state } = stream()
  out.write('x'.repeat(100_000))
  expect(Math.max(...writes)).toBe(16_320)
  expect(writes.reduce((sum, bytes) => sum + bytes)).toBe(100_000)
  writes.length = 0
  state.isFull = true
  expect(stream().out.write('x')).toBe(true)
  const blocked = stream()
  blocked.state.isFull = true
  expect(blocked.out.write('x'.repeat(100_000))).toBe(false)
  expect(blocked.writes).toEqual([16_320])
  expect(blocked.out.bytesWaiting).toBe(100_000)
})

it('a socket that says it is writable, and is not, gets little more each time', () => {
  const { out, writes, state } = stream()
  state.isFull = true
  out.write('x'.repeat(100_000))
  for (let round = 0; round < 10; round++) state.writable()
  expect(writes).toEqual([16_320, ...Array(10).fill(512)])
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

it('each slice leaves in one cork, and the end of the answer in the cork of the last', () => {
  const { out, writes, ended } = stream()
  out.write('first')
  out.write('x'.repeat(20_000))
  out.end()
  expect(writes).toEqual([5, 16_320, 3_680])
  expect(ended).toEqual({ corks: 3, inCork: 3 })
})

it('text and bytes go over in the order they were written, a character never cut', () => {
  const { out, taken, state } = stream()
  state.isFull = true
  const pieces = [
    'a',
    Buffer.from([0xff, 0x00]),
    'ёж🦔'.repeat(10_000),
    Buffer.alloc(40_000, 7),
    Buffer.from([8]),
    'end',
  ]
  for (const piece of pieces) out.write(piece)
  state.isFull = false
  state.writable()
  expect(Buffer.concat(taken)).toEqual(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))))
  expect(out.bytesWaiting).toBe(0)
})

it('bytes count against the bound as text does, and whoever goes on regardless loses the reader', () => {
  const { out, state } = stream()
  state.isFull = true
  out.write(Buffer.alloc(400_000))
  out.write('x'.repeat(400_000))
  expect(out.bytesWaiting).toBe(800_000)
  out.write(Buffer.alloc(400_000))
  expect(out.bytesWaiting).toBe(0)
  expect(out.write('more')).toBe(true)
})

it('a writer that has given enough for one turn is told to stop, and to go on when the turn is over', async () => {
  const { out } = stream()
  expect(out.write('x'.repeat(20_000))).toBe(true)
  expect(out.write('x'.repeat(20_000))).toBe(false)
  await new Promise<void>((resolve) => out.onDrain(resolve))
  expect(out.bytesWaiting).toBe(0)
  expect(out.write('x'.repeat(20_000))).toBe(true)
})

it('whoever asks a turn late when to go on is told all the same', async () => {
  const { out } = stream()
  expect(out.write('x'.repeat(40_000))).toBe(false)
  await new Promise<void>((resolve) => setImmediate(resolve))
  await new Promise<void>((resolve) => setImmediate(resolve))
  await new Promise<void>((resolve) => out.onDrain(resolve))
  expect(out.write('more')).toBe(true)
})
