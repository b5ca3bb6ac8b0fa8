/** Turns that go on after a commit leave room for others between them. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { loopYielder } from '../../../../actors/agent/journal/yield-to-loop.ts'

const yieldToLoop = loopYielder()

test('of many that may go on each goes on by itself, in order, and sockets and timers are heard between them', async () => {
  const order: string[] = []
  let isOver = false
  const check = () => {
    order.push('other')
    // From a callback of a timer, as whatever else has to be heard: none of these runs between immediates of one phase.
    if (!isOver) setTimeout(check, 0)
  }
  setTimeout(check, 0)
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await yieldToLoop()
      order.push(name)
      for (const untilMs = performance.now() + 5; performance.now() < untilMs; );
    }),
  )
  isOver = true
  expect(order.filter((name) => name !== 'other')).toEqual(['a', 'b', 'c'])
  expect(order.join(' ')).toMatch(/a (other )+b (other )+c/)
})

test('one that is alone waits for nobody, also after others', async () => {
  const alone = () => Promise.race([yieldToLoop().then(() => 'by the next turn of the loop'), twoTurns()])
  for (let at = 0; at < 3; at++) expect(await alone()).toBe('by the next turn of the loop')
  await Promise.all([yieldToLoop(), yieldToLoop()])
  expect(await alone()).toBe('by the next turn of the loop')
})

async function twoTurns(): Promise<string> {
  await turnOfTheLoop()
  await turnOfTheLoop()
  return 'later'
}
