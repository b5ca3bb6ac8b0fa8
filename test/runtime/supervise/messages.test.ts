import { expect, test } from 'vitest'
import { alone, placeArgument, processPlace, restartedArgument, shareOf } from '../../../runtime/supervise/messages.ts'
import { gatewayNodeOptions } from '../../../runtime/supervise/node-options.ts'

test('a gateway knows its place among the processes of its parent', () => {
  expect(processPlace(['node', 'main.js'])).toEqual(alone)
  expect(processPlace([placeArgument(1, 3)])).toEqual({ number: 1, of: 3, isFirst: true })
  expect(processPlace([placeArgument(3, 3)])).toEqual({ number: 3, of: 3, isFirst: false })
  // The others hold the ports meanwhile.
  expect(processPlace([placeArgument(1, 3), restartedArgument])).toEqual({ number: 1, of: 3, isFirst: false })
})

test('processes divide what one may have', () => {
  expect(shareOf(10_000, alone)).toBe(10_000)
  expect([1, 2, 3, 64].map((of) => shareOf(100, { of }))).toEqual([100, 50, 34, 2])
  const [, whole = ''] = /=(\d+)$/.exec(gatewayNodeOptions(2).at(-1) ?? '') ?? []
  const [, quarter = ''] = /=(\d+)$/.exec(gatewayNodeOptions(8).at(-1) ?? '') ?? []
  expect(Number(quarter)).toBeGreaterThanOrEqual(Math.max(256, Math.floor(Number(whole) / 4)))
  expect(gatewayNodeOptions(1)).toEqual(['--max-semi-space-size=64'])
})
