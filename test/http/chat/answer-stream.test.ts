import { expect, test } from 'vitest'
import { AnswerStream } from '../../../http/chat/answer-stream.ts'
import { chunkWriter, heartbeatComment } from '../../../http/chat/chunks.ts'
import type { StreamWriter } from '../../../http/server/stream-writer.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function outlet() {
  const written: string[] = []
  const leaving = new AbortController()
  const drained: (() => void)[] = []
  let isOpen = true
  const out = {
    signal: leaving.signal,
    write(text: string) {
      written.push(text)
      return isOpen
    },
    onDrain: (fire: () => void) => void drained.push(fire),
  } as unknown as StreamWriter
  return {
    out,
    written,
    leave: () => leaving.abort(),
    block() {
      isOpen = false
    },
    drain() {
      isOpen = true
      for (const fire of drained.splice(0)) fire()
    },
  }
}

function liveAnswer() {
  const clock = virtualClock()
  const chunks = chunkWriter({ id: 'chatcmpl-1', createdS: 1, model: 'm', wantsUsage: false })
  const live = new AnswerStream(chunks, clock)
  const calls: string[] = []
  live.follow({ resume: () => calls.push('resume'), leave: () => calls.push('leave') })
  let isOpened = false
  void live.opened.then(() => {
    isOpened = true
  })
  return { clock, live, calls, isOpened: () => isOpened }
}

const text = (words: string) => ({ kind: 'text', choice: 0, text: words }) as const

test('a model that is silent for fifteen seconds opens the stream with a comment, and another each fifteen', async () => {
  const { clock, live, isOpened } = liveAnswer()
  await clock.advance(14_000)
  expect(isOpened()).toBe(false)
  await clock.advance(1_000)
  expect(isOpened()).toBe(true)
  const { out, written } = outlet()
  live.attach(out)
  expect(written).toEqual([heartbeatComment])
  await clock.advance(15_000)
  expect(written).toEqual([heartbeatComment, heartbeatComment])
  live.stop()
})

test('while the model speaks nothing is put between its words', async () => {
  const { clock, live } = liveAnswer()
  const { out, written } = outlet()
  live.attach(out)
  for (let second = 0; second < 60; second += 10) {
    live.item(text('word '))
    await clock.advance(10_000)
  }
  expect(written).not.toContain(heartbeatComment)
  expect(written).toHaveLength(6)
  live.stop()
})

test('a run of pieces is a chunk for each, the same as one by one', () => {
  const words = ['one', ' "two"', '\\', '🦆']
  const pieces = words.map((word) => JSON.stringify(word).slice(1, -1))
  const stream = { id: 'chatcmpl-1', createdS: 1, model: 'm', wantsUsage: true }
  const oneByOne = chunkWriter(stream)

  expect(chunkWriter(stream).delta({ ...text(words.join('')), pieces })).toBe(
    words.map((word) => oneByOne.delta(text(word))).join(''),
  )
})

test('a reader that is slow stops the model, and one that has room again lets it go on', () => {
  const { live, calls } = liveAnswer()
  const { out, block, drain } = outlet()
  live.attach(out)
  calls.length = 0
  block()
  expect(live.item(text('more'))).toBe(false)
  expect(calls).toEqual([])
  drain()
  expect(calls).toEqual(['resume'])
  live.stop()
})

test('a reader who leaves is forgotten: no deltas, no heartbeats, no timer', async () => {
  const { clock, live, calls } = liveAnswer()
  const { out, written, leave } = outlet()
  live.attach(out)
  leave()
  expect(calls.at(-1)).toBe('leave')
  await clock.advance(60_000)
  expect(written).toEqual([])
  expect(clock.timersWaiting).toBe(0)
})

test('an end without a word does not open the stream: the outcome has a status of its own', async () => {
  const { clock, live, isOpened } = liveAnswer()
  live.end()
  await clock.settle()
  expect(isOpened()).toBe(false)
  await live.ended
  live.stop()
})
