import { expect, test } from 'vitest'
import calculate from '../../workers/calculate.ts'

test('the first expression has its time to itself: what the library makes at its first use is made before', async () => {
  // Some 300 ms of work before it was so; the sum needs a range, which costs as much again.
  expect(await calculate({ expression: '1 + 1', charactersMax: 10, timeoutMs: 150 })).toMatchObject({ text: '2' })
  expect(await calculate({ expression: 'sum(1:100)', charactersMax: 10, timeoutMs: 150 })).toMatchObject({
    text: '5050',
  })
})
