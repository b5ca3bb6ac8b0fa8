import { expect, test } from 'vitest'
import { every } from '../../../runtime/time/every.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

test('the next run starts an interval after the end of the one before, however long that took', async () => {
  const clock = virtualClock()
  const startedMs: number[] = []
  const ends: (() => void)[] = []
  const work = () => {
    startedMs.push(clock.elapsed())
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  every(100, work, { clock, onError: () => expect.unreachable() })
  await clock.advance(1_000)
  expect(startedMs).toEqual([100])
  ends.shift()?.()
  await clock.advance(99)
  expect(startedMs).toEqual([100])
  await clock.advance(1)
  expect(startedMs).toEqual([100, 1_100])
})

test('an error goes to its handler, and the next run follows', async () => {
  const clock = virtualClock()
  const errors: unknown[] = []
  let runs = 0
  const work = () => {
    if (++runs === 1) throw new Error('first')
    return Promise.reject(new Error('second'))
  }
  every(100, work, { clock, onError: (error) => errors.push((error as Error).message) })
  await clock.advance(200)
  expect(errors).toEqual(['first', 'second'])
  await clock.advance(100)
  expect(runs).toBe(3)
})

test('a stop prevents the next run, aborts the one under way and waits for it', async () => {
  const clock = virtualClock()
  let runs = 0
  let hasEnded = false
  const repetition = every(
    100,
    async (signal) => {
      runs++
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      hasEnded = true
      throw signal.reason
    },
    { clock, onError: () => expect.unreachable() },
  )
  await clock.advance(100)
  await repetition.stop()
  expect(hasEnded).toBe(true)
  await clock.advance(1_000)
  expect(runs).toBe(1)
  expect(clock.timersWaiting).toBe(0)
})

test('a stop before the first run prevents it', async () => {
  const clock = virtualClock()
  await every(100, () => expect.unreachable(), { clock, onError: () => expect.unreachable() }).stop()
  expect(clock.timersWaiting).toBe(0)
})

test('a run that is asked for starts at once, or a little after the one before, however often it is asked for', async () => {
  const clock = virtualClock()
  const startedMs: number[] = []
  let end = () => {}
  const work = () => {
    startedMs.push(clock.elapsed())
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  const repetition = every(1_000, work, { clock, soonMs: 50, onError: () => expect.unreachable() })
  repetition.soon()
  repetition.soon()
  await clock.advance(0)
  expect(startedMs).toEqual([0])
  repetition.soon()
  await clock.advance(20)
  end()
  await clock.advance(50)
  expect(startedMs).toEqual([0, 70])
  end()
  await clock.advance(10)
  repetition.soon()
  await clock.advance(39)
  expect(startedMs).toEqual([0, 70])
  await clock.advance(1)
  expect(startedMs).toEqual([0, 70, 120])
  end()
  await clock.advance(999)
  expect(startedMs).toEqual([0, 70, 120])
  await clock.advance(1)
  expect(startedMs).toEqual([0, 70, 120, 1_120])
})
