/** Waits between tries grow, and are short again only after what held. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { growingWaits } from '../../web/api/reconnect-delays.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it('grow up to the bound', () => {
  const waits = growingWaits({ least: 1_000, most: 5_000 })
  expect([1, 2, 3, 4, 5].map(() => waits.next())).toEqual([1_000, 2_000, 4_000, 5_000, 5_000])
})

it('go on growing where each try holds for a moment only', () => {
  const waits = growingWaits({ least: 1_000, most: 5_000 })
  const told = [1, 2, 3, 4].map(() => {
    waits.holds()
    vi.advanceTimersByTime(4_999)
    return waits.next()
  })
  expect(told).toEqual([1_000, 2_000, 4_000, 5_000])
})

it('are short again after what held for as long as the longest wait', () => {
  const waits = growingWaits({ least: 1_000, most: 5_000 })
  waits.next()
  waits.next()
  waits.holds()
  vi.advanceTimersByTime(3_000)
  waits.holds()
  vi.advanceTimersByTime(2_000)
  expect(waits.next()).toBe(1_000)
  expect(waits.next()).toBe(2_000)
})
