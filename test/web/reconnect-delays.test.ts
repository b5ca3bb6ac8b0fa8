/** Delays between attempts to connect grow, and are short again only after a connection that lasted. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { reconnectDelays } from '../../web/api/reconnect-delays.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it('delays grow up to the maximum', () => {
  const delays = reconnectDelays({ least: 1_000, most: 5_000 })
  expect([1, 2, 3, 4, 5].map(() => delays.next())).toEqual([1_000, 2_000, 4_000, 5_000, 5_000])
})

it('delays go on growing while each connection ends at once', () => {
  const delays = reconnectDelays({ least: 1_000, most: 5_000 })
  const delaysMs = [1, 2, 3, 4].map(() => {
    delays.connected()
    vi.advanceTimersByTime(4_999)
    return delays.next()
  })
  expect(delaysMs).toEqual([1_000, 2_000, 4_000, 5_000])
})

it('delays are short again after a connection that lasted as long as the longest of them', () => {
  const delays = reconnectDelays({ least: 1_000, most: 5_000 })
  delays.next()
  delays.next()
  delays.connected()
  vi.advanceTimersByTime(3_000)
  delays.connected()
  vi.advanceTimersByTime(2_000)
  expect(delays.next()).toBe(1_000)
  expect(delays.next()).toBe(2_000)
})
