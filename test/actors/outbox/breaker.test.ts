/** The breaker: when a destination is left alone, for how long, and who asks it again. */
import { expect, test } from 'vitest'
import { type Breaker, breaker } from '../../../actors/outbox/breaker.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const failed = (of: Breaker, times: number, destination = 'a') => {
  for (let time = 0; time < times; time++) of.failed(destination)
}

test('a destination is asked until it failed five times in a row', () => {
  const broken = breaker(virtualClock())
  failed(broken, 4)
  expect(broken.restMs('a')).toBe(0)
  expect(broken.open).toBe(0)
  failed(broken, 1)
  expect(broken.restMs('a')).toBe(10_000)
  expect(broken.open).toBe(1)
})

test('a success in between begins the count anew', () => {
  const broken = breaker(virtualClock())
  failed(broken, 4)
  broken.succeeded('a')
  failed(broken, 4)
  expect(broken.restMs('a')).toBe(0)
})

test('one that is left alone holds up no other', () => {
  const broken = breaker(virtualClock())
  failed(broken, 5)
  expect(broken.restMs('b')).toBe(0)
})

test('after the rest a single delivery asks; the others wait for what becomes of it', async () => {
  const clock = virtualClock()
  const broken = breaker(clock)
  failed(broken, 5)
  await clock.advance(9_999)
  expect(broken.restMs('a')).toBe(1)
  await clock.advance(1)
  expect(broken.restMs('a')).toBe(0)
  expect(broken.restMs('a')).toBe(10_000)
  broken.succeeded('a')
  expect([broken.restMs('a'), broken.restMs('a')]).toEqual([0, 0])
})

test('each failure doubles the rest, up to five minutes', async () => {
  const clock = virtualClock()
  const broken = breaker(clock)
  failed(broken, 5)
  const rests: number[] = []
  for (let time = 0; time < 8; time++) {
    const restMs = broken.restMs('a')
    rests.push(restMs / 1_000)
    await clock.advance(restMs)
    expect(broken.restMs('a')).toBe(0)
    broken.failed('a')
  }
  expect(rests).toEqual([10, 20, 40, 80, 160, 300, 300, 300])
})

test('a try that told nothing lets the next one ask', async () => {
  const clock = virtualClock()
  const broken = breaker(clock)
  failed(broken, 5)
  await clock.advance(10_000)
  expect(broken.restMs('a')).toBe(0)
  broken.abandoned('a')
  expect(broken.restMs('a')).toBe(0)
  broken.abandoned('never seen')
})

test('it remembers ten thousand destinations, and of more forgets those that failed longest ago', () => {
  const broken = breaker(virtualClock())
  failed(broken, 5, 'oldest')
  failed(broken, 5, 'again')
  for (let at = 0; at < 9_998; at++) broken.failed(`other-${at}`)
  broken.failed('again')
  expect(broken.restMs('oldest')).toBeGreaterThan(0)
  broken.failed('one more')
  expect(broken.restMs('oldest')).toBe(0)
  expect(broken.restMs('again')).toBeGreaterThan(0)
})
