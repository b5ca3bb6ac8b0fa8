/** The pace: how many deliveries may leave now, and when the next may. */
import { expect, test } from 'vitest'
import { pace } from '../../../actors/outbox/pace.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

test('a second’s worth may go at once, and then one after the other', async () => {
  const clock = virtualClock()
  const steady = pace(clock)
  await clock.advance(60_000)
  expect(steady.take(100, 10)).toBe(10)
  expect(steady.take(1, 10)).toBe(0)
  expect(steady.waitMs(10)).toBe(100)
  await clock.advance(99)
  expect(steady.take(1, 10)).toBe(0)
  await clock.advance(1)
  expect(steady.take(5, 10)).toBe(1)
})

test('no second has more than the rate and what was saved', async () => {
  const clock = virtualClock()
  const steady = pace(clock)
  await clock.advance(60_000)
  let gone = 0
  for (let tick = 0; tick < 100; tick++) {
    gone += steady.take(1_000, 7)
    await clock.advance(100)
  }
  expect(gone).toBeGreaterThanOrEqual(7 * 10)
  expect(gone).toBeLessThanOrEqual(7 * 11)
})

test('a rate below one a second lets one go, and then waits', async () => {
  const clock = virtualClock()
  const steady = pace(clock)
  await clock.advance(60_000)
  expect(steady.take(3, 0.1)).toBe(1)
  expect(steady.waitMs(0.1)).toBe(10_000)
  await clock.advance(10_000)
  expect(steady.take(3, 0.1)).toBe(1)
})

test('what was taken and not used is given back', async () => {
  const clock = virtualClock()
  const steady = pace(clock)
  await clock.advance(60_000)
  expect(steady.take(8, 10)).toBe(8)
  steady.take(-6, 10)
  expect(steady.take(100, 10)).toBe(8)
})

test('a new rate holds from the next delivery on', async () => {
  const clock = virtualClock()
  const steady = pace(clock)
  await clock.advance(60_000)
  steady.take(1, 1)
  expect(steady.take(10, 1)).toBe(0)
  expect(steady.waitMs(1_000)).toBe(1)
  await clock.advance(10)
  expect(steady.take(100, 1_000)).toBe(10)
})
