import { expect, test } from 'vitest'
import { quietUntil } from '../../../actors/subscription/quiet-hours.ts'

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' }
const at = (text: string) => new Date(text)

test('quiet hours over midnight end in the morning of their time zone', () => {
  expect(quietUntil(night, at('2026-01-10T21:30:40Z'))).toEqual(at('2026-01-11T06:00:00Z'))
  expect(quietUntil(night, at('2026-01-11T05:59:59Z'))).toEqual(at('2026-01-11T06:00:00Z'))
})

test('outside of them, at their end, and without any, nothing waits', () => {
  for (const text of ['2026-01-10T20:59:59Z', '2026-01-11T06:00:00Z', '2026-07-10T05:00:00Z'])
    expect(quietUntil(night, at(text))).toBeNull()
  expect(quietUntil(null, at('2026-01-10T22:00:00Z'))).toBeNull()
})
