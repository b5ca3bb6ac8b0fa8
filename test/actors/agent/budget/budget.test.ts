/** The time of a turn and of its sub-agents: what stands still for whom, and what earlier tries have used. */
import { expect, test } from 'vitest'
import { BoundReached, openBudget } from '../../../../actors/agent/budget/budget.ts'
import { workingTimeMs } from '../../../../actors/agent/journal/working-time.ts'
import { step } from '../../../store/support/steps.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'

test('a wait in a sub-agent stops its clock and those of the agents above it, and no other one', async () => {
  const clock = virtualClock()
  const budget = openBudget({ tokens: 0, timeMs: 5_000, workedMs: 0 }, clock)
  const waits = budget.share('1', 1_000)
  const below = budget.share('1/101', 1_000)
  const beside = budget.share('11', 1_000)
  const resume = budget.pause('1/101')
  await clock.advance(2_000)
  expect([waits.signal.aborted, below.signal.aborted, beside.signal.aborted]).toEqual([false, false, true])
  await clock.advance(60_000)
  resume()
  resume()
  await clock.advance(999)
  expect([waits.signal.aborted, below.signal.aborted, budget.signal.aborted]).toEqual([false, false, false])
  await clock.advance(1)
  expect([waits.signal.aborted, below.signal.aborted]).toEqual([true, true])
  await clock.advance(4_000)
  expect(budget.signal.reason).toBeInstanceOf(BoundReached)
  expect(clock.timersWaiting).toBe(0)
})

test('a share that has ended, and one whose turn has, fires no more', async () => {
  const clock = virtualClock()
  const budget = openBudget({ tokens: 0, timeMs: 0, workedMs: 0 }, clock)
  const first = budget.share('1', 1_000)
  const second = budget.share('2', 1_000)
  first.end()
  const resume = budget.pause('2')
  budget.end()
  resume()
  expect(clock.timersWaiting).toBe(0)
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false])
})

test('what earlier tries have worked is taken off', async () => {
  const clock = virtualClock()
  const budget = openBudget({ tokens: 0, timeMs: 1_000, workedMs: 900 }, clock)
  await clock.advance(99)
  expect(budget.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(budget.signal.aborted).toBe(true)
  const spent = openBudget({ tokens: 0, timeMs: 1_000, workedMs: 5_000 }, clock)
  await clock.advance(0)
  expect(spent.signal.aborted).toBe(true)
})

test('steps side by side are counted once, waits and what is open not at all', () => {
  const at = (path: string, fromMs: number, durationMs: number | null) => ({
    ...step({ path, startedAt: new Date(fromMs), durationMs }),
  })
  const steps = [
    at('', 0, 100),
    at('', 1_000, 500),
    at('1', 1_100, 100),
    at('1/2', 1_550, 150),
    at('11', 9_000, 7),
    at('', 2_000, null),
  ]
  expect(workingTimeMs(steps)).toBe(100 + 650 + 7)
  expect(workingTimeMs(steps, '1')).toBe(100 + 150)
  expect(workingTimeMs([])).toBe(0)
})

test('the wait of a sub-agent for an operator is not counted by the call that handed its work over', () => {
  const at = (path: string, name: string, fromMs: number, durationMs: number) =>
    step({ path, name, startedAt: new Date(fromMs), durationMs })
  const steps = [
    at('', 'delegate', 0, 3_600_000),
    at('1', 'delegate', 100, 3_599_000),
    at('1/1', 'clock', 200, 50),
    at('1/1', 'clock', 3_599_000, 30),
  ]
  expect(workingTimeMs(steps)).toBe(80)
  expect(workingTimeMs(steps, '1')).toBe(80)
})
