/** The tree of a turn's steps: each branch follows its parent, siblings in order of their start. */
import { expect, it } from 'vitest'
import { branchesOf, spanOf, waitsOf, withWaits } from '../../web/pages/turn/branches.ts'

const at = (path: string, n: number, startMs: number, ms: number | null = 10) => ({
  path,
  n,
  duration_ms: ms,
  started_at: new Date(startMs).toISOString(),
})

it('branches stand behind their parents, siblings by when they began, steps in their order', () => {
  const steps = [at('b', 0, 50), at('a/x', 0, 45), at('', 1, 20), at('a', 0, 40), at('', 0, 10), at('b/y', 0, 60)]
  const branches = branchesOf(steps, 0)
  expect(branches.map(({ path, depth }) => `${depth} ${path}`)).toEqual(['0 ', '1 a', '2 a/x', '1 b', '2 b/y'])
  expect(branches[0]?.steps.map(({ n }) => n)).toEqual([0, 1])
})

it('a branch whose parent has no steps of its own stays with its siblings', () => {
  const branches = branchesOf([at('', 0, 0), at('gone/child', 0, 5), at('gone/other', 0, 3)], 0)
  expect(branches.map(({ path }) => path)).toEqual(['', 'gone/other', 'gone/child'])
})

it('the span goes from the first begin to the last end, and to now where a step runs', () => {
  expect(spanOf([at('', 0, 100, 50), at('', 1, 120, 500)], 0)).toEqual({ beginMs: 100, endMs: 620 })
  expect(spanOf([at('', 0, 100, null)], 900)).toEqual({ beginMs: 100, endMs: 900 })
  expect(spanOf([], 900)).toEqual({ beginMs: 900, endMs: 901 })
})

it('a wait for a decision lies before the step that it held up, in its own branch, and lasts until it was decided', () => {
  const approval = (path: string, fromMs: number, untilMs: number | null) => ({
    ...{ path, tool: 'pay', decided_by: 'ada', requested_at: new Date(fromMs).toISOString() },
    decided_at: untilMs === null ? null : new Date(untilMs).toISOString(),
  })
  const waits = waitsOf([approval('', 500, 900), approval('', 30, 80), approval('a', 5, 6), approval('', 40, null)])
  expect(waits.map(({ duration_ms }) => duration_ms)).toEqual([400, 50, 1])
  const [main] = branchesOf([at('', 0, 10), at('', 1, 80)], 0)
  const rows = main ? withWaits(main, waits) : []
  expect(rows.map((row) => (row.is === 'step' ? row.step.n : row.wait.duration_ms))).toEqual([0, 50, 1, 400])
  expect(spanOf([at('', 0, 10), ...waits], 0)).toEqual({ beginMs: 5, endMs: 900 })
})
