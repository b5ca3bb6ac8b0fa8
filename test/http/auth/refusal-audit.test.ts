/** How many refused guesses are written down, on virtual time. */
import { expect, it } from 'vitest'
import { refusalAudit } from '../../../http/auth/refusal-audit.ts'
import { minutes } from '../../../runtime/time/duration.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

it('the first refusal of a guesser is written down, and the next one a quarter of an hour later', async () => {
  const clock = virtualClock()
  const notes = refusalAudit(clock)
  expect([notes.shouldRecord('one'), notes.shouldRecord('one'), notes.shouldRecord('two')]).toEqual([true, false, true])
  await clock.advance(minutes(15) - 1)
  expect(notes.shouldRecord('one')).toBe(false)
  await clock.advance(1)
  expect([notes.shouldRecord('one'), notes.shouldRecord('one')]).toEqual([true, false])
})

it('of a flood from many addresses a bounded number is, and who comes after it is again', async () => {
  const clock = virtualClock()
  const notes = refusalAudit(clock)
  const flood = (of: string) =>
    Array.from({ length: 10_000 }, (_, n) => notes.shouldRecord(`${of} ${n}`)).filter(Boolean).length
  expect(flood('first')).toBe(20)
  await clock.advance(minutes(1))
  expect(flood('second')).toBe(10)
  await clock.advance(minutes(1))
  expect(notes.shouldRecord('first 9999')).toBe(true)
})
