/** Turns that go on after a commit and do next to nothing: they share a turn of the event loop, and still go one by one. */
import { expect, test } from 'vitest'
import { loopYielder } from '../../../../actors/agent/journal/yield-to-loop.ts'

const yieldToLoop = loopYielder()

test('many that take next to nothing do not take a turn of the event loop each', async () => {
  const many = 1_000
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const gone: number[] = []
  await Promise.all(
    Array.from({ length: many }, async (_, at) => {
      await yieldToLoop()
      gone.push(at)
    }),
  )
  isOver = true
  expect(gone).toEqual(Array.from({ length: many }, (_, at) => at))
  expect(turns).toBeLessThan(many / 4)
})

test('the next one begins when the one before has done all that it does at once', async () => {
  const order: string[] = []
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      await yieldToLoop()
      for (let part = 1; part <= 3; part++) {
        order.push(`${name}${part}`)
        await undefined
      }
    }),
  )
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'])
})
