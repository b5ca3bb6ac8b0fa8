import { expect, test } from 'vitest'
import { timeNow } from '../../tools/time-now.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { call, testDependencies } from './support/call.ts'

/** An hour after clocks in Berlin went forward. */
const afterTheChangeMs = Date.UTC(2026, 2, 29, 2, 0, 5)

function ask(given: unknown, environment: Record<string, string> = {}, atMs = afterTheChangeMs) {
  const dependencies = testDependencies(environment, virtualClock(atMs))
  return call(timeNow(dependencies), given, { dependencies })
}

test('the time is told in the zone of the settings, as ISO with its offset and in words', async () => {
  expect(await ask({}, { SERVICE_TIMEZONE: 'Europe/Berlin' })).toBe(
    '2026-03-29T04:00:05+02:00\nSunday, 29 March 2026, 04:00, Europe/Berlin',
  )
})

test('a zone that is asked for goes before that of the settings, and the day is the day there', async () => {
  expect(await ask({ timezone: 'Asia/Kathmandu' }, {}, Date.UTC(2025, 11, 31, 20))).toBe(
    '2026-01-01T01:45:00+05:45\nThursday, 1 January 2026, 01:45, Asia/Kathmandu',
  )
})

test('UTC has an offset of zero', async () => {
  expect(await ask({})).toMatch(/^2026-03-29T02:00:05\+00:00\n/)
})

test('midnight is hour 0 of the new day', async () => {
  expect(await ask({}, {}, Date.UTC(2026, 0, 1))).toMatch(/^2026-01-01T00:00:00/)
})

test.for(['Mars/Olympus', '+02:00', 'Europe/Berlin; drop', '../etc', '<b>'])(
  '%s is refused as no zone',
  async (timezone) => {
    await expect(ask({ timezone })).rejects.toMatchObject({ name: 'ToolFailed', code: 'unknown_timezone' })
  },
)

test('a zone that is no text is a problem of the arguments', async () => {
  await expect(ask({ timezone: 7 })).rejects.toThrow(/timezone: /)
})
