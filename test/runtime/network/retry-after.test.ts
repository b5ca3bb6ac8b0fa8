/** What a receiver asks us to wait, in each form that it comes in, and no longer than anybody can wait. */
import { expect, test } from 'vitest'
import { retryAfterMs } from '../../../runtime/network/retry-after.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const clock = virtualClock()
const waitOf = (value: string) => retryAfterMs({ 'retry-after': value }, clock)
const dayMs = 86_400_000

test('seconds and dates are read', () => {
  expect(waitOf('7')).toBe(7_000)
  expect(waitOf(new Date(Math.ceil(clock.now() / 1_000) * 1_000 + 5_000).toUTCString())).toBeGreaterThanOrEqual(5_000)
  expect(retryAfterMs({ 'retry-after-ms': '250' }, clock)).toBe(250)
})

test.each(['999999999', 'Sat, 01 Jan 10000 00:00:00 GMT', 'Fri, 01 Jan 200000 00:00:00 GMT'])(
  'of %s a day is waited',
  (value) => {
    expect(waitOf(value)).toBe(dayMs)
  },
)

test('what has passed is no wait, and what cannot be read says nothing', () => {
  expect(waitOf('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0)
  expect(waitOf('soon')).toBeUndefined()
})
