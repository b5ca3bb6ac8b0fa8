/** Streamed bodies of one sender: they wait for the room that they share. */
import { expect, test } from 'vitest'
import { BodyRoom } from '../../http/server/body.ts'
import { BodyStream } from '../../http/server/body-stream.ts'

function streamIn(room: BodyRoom) {
  const state = { isPaused: false, refusals: 0 }
  const stream = new BodyStream({
    room,
    reader: {
      bodySender: { name: 'a key', isStranger: false },
      bodyEnded() {},
      refused() {
        state.refusals++
      },
    },
    throttle: {
      pause() {
        state.isPaused = true
      },
      resume() {
        state.isPaused = false
      },
    },
  })
  return { state, stream }
}

test('a body waits while the others of its sender have a quarter of its room, and goes on when they are read', async () => {
  const room = new BodyRoom(1_048_576)
  const large = streamIn(room)
  const small = streamIn(room)
  large.stream.chunk(new ArrayBuffer(140_000), false)
  small.stream.chunk(new ArrayBuffer(10_000), false)
  expect([large.state.isPaused, small.state.isPaused]).toEqual([true, true])
  await small.stream.next()
  expect(small.state.isPaused).toBe(true)
  await large.stream.next()
  expect([large.state.isPaused, small.state.isPaused]).toEqual([false, false])
  expect([large.state.refusals, small.state.refusals, room.bytes]).toEqual([0, 0, 0])
})

test('a body that is dropped while it waits is read on, and does not keep the others waiting', async () => {
  const room = new BodyRoom(1_048_576)
  const large = streamIn(room)
  const small = streamIn(room)
  large.stream.chunk(new ArrayBuffer(140_000), false)
  small.stream.chunk(new ArrayBuffer(10_000), false)
  await small.stream.next()
  large.stream.release()
  expect([large.state.isPaused, small.state.isPaused, room.bytes]).toEqual([false, false, 0])
})
