/** What a turn and its sub-agents may spend together: time that stops for waits, tokens and steps that are counted once. */
import { expect, test } from 'vitest'
import {
  type Bound,
  BoundReached,
  type Budget,
  type BudgetReport,
  limitsElsewhere,
  openBudget,
} from '../../../../actors/agent/budget/budget.ts'
import { workingTimeMs } from '../../../../actors/agent/journal/working-time.ts'
import { step } from '../../../store/support/steps.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'

type Clock = ReturnType<typeof virtualClock>

/** A sub-agent with a time of its own, whose reports reach the budget above it and which is told of its bounds. */
function below(above: Budget, clock: Clock, timeMs: number) {
  const share = above.share(timeMs)
  const waits: (() => void)[] = []
  const budget = openBudget(limitsElsewhere, clock, (report: BudgetReport) => {
    if (report.kind === 'spent') above.spend(report.usage, report.isEstimated)
    else if (report.kind === 'step_taken') above.takeStep()
    else if (report.kind === 'wait_began') waits.push(share.pause())
    else waits.pop()?.()
  })
  above.onReached((bound) => budget.reach(bound))
  return { share, budget }
}

const tokens = (total_tokens: number) => ({ prompt_tokens: 0, completion_tokens: total_tokens, total_tokens })

test('a wait in a sub-agent stops its clock and those of the agents above it, and no others', async () => {
  const clock = virtualClock()
  const turn = openBudget({ ...limitsElsewhere, timeMs: 5_000 }, clock)
  const first = below(turn, clock, 1_000)
  const second = below(first.budget, clock, 1_000)
  const beside = below(turn, clock, 1_000)
  const resume = second.budget.pause()
  await clock.advance(2_000)
  const overIn = (...of: { share: { signal: AbortSignal } }[]) => of.map(({ share }) => share.signal.aborted)
  expect(overIn(first, second, beside)).toEqual([false, false, true])
  await clock.advance(60_000)
  resume()
  resume()
  await clock.advance(999)
  expect([...overIn(first, second), turn.signal.aborted]).toEqual([false, false, false])
  await clock.advance(1)
  expect(overIn(first, second)).toEqual([true, true])
  await clock.advance(4_000)
  expect(turn.signal.reason).toBeInstanceOf(BoundReached)
  expect(clock.timersWaiting).toBe(0)
})

test('the tokens of all its agents count for the turn, and all stop when they are used up', () => {
  const clock = virtualClock()
  const turn = openBudget({ ...limitsElsewhere, tokens: 30 }, clock)
  const first = below(turn, clock, 1_000).budget
  const second = below(first, clock, 1_000).budget
  const beside = below(turn, clock, 1_000).budget
  second.spend(tokens(20), false)
  beside.spend(tokens(9), true)
  for (const budget of [turn, first, second, beside]) budget.check()
  expect([turn.used, first.used, beside.used].map(({ total_tokens }) => total_tokens)).toEqual([29, 20, 9])
  expect([turn.isEstimated, first.isEstimated]).toEqual([true, false])
  beside.spend(tokens(1), false)
  const late = below(second, clock, 1_000).budget
  for (const budget of [turn, first, second, beside, late]) expect(() => budget.check()).toThrow(BoundReached)
})

test('steps of sub-agents count as steps of the turn, within its limit', () => {
  const clock = virtualClock()
  const turn = openBudget({ ...limitsElsewhere, steps: 5, stepsTaken: 2 }, clock)
  const first = below(turn, clock, 1_000).budget
  const second = below(first, clock, 1_000).budget
  expect([turn.takeStep(), first.takeStep(), second.takeStep()]).toEqual([true, true, true])
  expect([turn.takeStep(), first.takeStep(), second.takeStep()]).toEqual([false, false, false])
  const full = openBudget({ ...limitsElsewhere, steps: 5, stepsTaken: 5 }, clock)
  expect(full.takeStep()).toBe(false)
})

test('a listener gets a bound once, even if it subscribes late, but not after it has left', () => {
  const budget = openBudget({ ...limitsElsewhere, tokens: 1 }, virtualClock())
  const notices: [string, Bound][] = []
  const leave = budget.onReached((bound) => notices.push(['left', bound]))
  leave()
  budget.onReached((bound) => notices.push(['early', bound]))
  budget.spend(tokens(1), false)
  budget.spend(tokens(1), false)
  budget.onReached((bound) => notices.push(['late', bound]))
  expect(notices).toEqual([
    ['early', 'tokens'],
    ['late', 'tokens'],
  ])
})

test('a share does not fire after it or its turn has ended', async () => {
  const clock = virtualClock()
  const budget = openBudget(limitsElsewhere, clock)
  const first = budget.share(1_000)
  const second = budget.share(1_000)
  first.end()
  const resume = second.pause()
  budget.end()
  resume()
  expect(clock.timersWaiting).toBe(0)
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false])
})

test('the working time of earlier attempts is subtracted', async () => {
  const clock = virtualClock()
  const budget = openBudget({ ...limitsElsewhere, timeMs: 1_000, workedMs: 900 }, clock)
  await clock.advance(99)
  expect(budget.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(budget.signal.aborted).toBe(true)
  const spent = openBudget({ ...limitsElsewhere, timeMs: 1_000, workedMs: 5_000 }, clock)
  await clock.advance(0)
  expect(spent.signal.aborted).toBe(true)
})

test('time of parallel steps counts once, waits and open steps do not count', () => {
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

test('the wait of a sub-agent for an operator does not count for the call that delegated to it', () => {
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
