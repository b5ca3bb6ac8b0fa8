/** The time of calls: one timer for all that have the same budget. */
import { expect, test } from 'vitest'
import { budgetQueues } from '../../../models/http/call-budgets.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function budgets() {
  const clock = virtualClock()
  const queue = budgetQueues(clock)
  const ended: string[] = []
  const begin = (name: string, budgetMs: number) => {
    const call = { endsMs: clock.elapsed() + budgetMs, expire: () => ended.push(`${name} at ${clock.elapsed()}`) }
    queue(budgetMs).add(call)
    return () => queue(budgetMs).delete(call)
  }
  return { clock, ended, begin }
}

test('each call ends when its own time is spent, and all of them share one timer', async () => {
  const { clock, ended, begin } = budgets()
  begin('a', 1_000)
  await clock.advance(400)
  begin('b', 1_000)
  begin('c', 1_000)
  expect(clock.timersWaiting).toBe(1)
  await clock.advance(600)
  expect(ended).toEqual(['a at 1000'])
  await clock.advance(400)
  expect(ended).toEqual(['a at 1000', 'b at 1400', 'c at 1400'])
  expect(clock.timersWaiting).toBe(0)
})

test('a call that is over is not ended, and the next one is on time', async () => {
  const { clock, ended, begin } = budgets()
  const leave = begin('over', 1_000)
  await clock.advance(10)
  begin('next', 1_000)
  leave()
  await clock.advance(1_000)
  expect(ended).toEqual(['next at 1010'])
})

test('where the budget changes, calls under way keep theirs', async () => {
  const { clock, ended, begin } = budgets()
  begin('long', 5_000)
  begin('short', 1_000)
  await clock.advance(1_000)
  expect(ended).toEqual(['short at 1000'])
  await clock.advance(4_000)
  expect(ended).toEqual(['short at 1000', 'long at 5000'])
})
