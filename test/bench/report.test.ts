import { describe, expect, test } from 'vitest'
import { interleaved } from '../../bench/interleave.ts'
import { judge } from '../../bench/report/judge.ts'
import { table } from '../../bench/report/table.ts'
import { percentile, slope, spread } from '../../bench/statistics.ts'

describe('the benchmark’s arithmetic', () => {
  test('medians, spreads and percentiles', () => {
    expect(spread([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 })
    expect(spread([1, 2, 3, 10]).median).toBe(2.5)
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
    expect([percentile(hundred, 50), percentile(hundred, 99), percentile([7], 99)]).toEqual([50, 99, 7])
    expect(() => spread([])).toThrow(RangeError)
  })

  test('a slope is per unit of x, and flat points have none', () => {
    expect(slope([0, 1, 2].map((x) => ({ x, y: 10 + 3 * x })))).toBeCloseTo(3)
    expect(slope([0, 1, 2].map((x) => ({ x, y: 7 })))).toBe(0)
  })

  test('ratios are of neighbouring runs, and a target is judged by their median', () => {
    const samples = {
      ours: [{ rate: 50 }, { rate: 10 }, { rate: 60 }],
      floor: [{ rate: 100 }, { rate: 20 }, { rate: 100 }],
    }
    const line = judge(
      {
        label: 'x',
        figure: 'rate',
        unit: '1/s',
        targets: [
          { of: 'ours/floor', atLeast: 0.5 },
          { of: 'ours', atMost: 40 },
        ],
      },
      samples,
    )
    expect(line.oursToFloor).toEqual({ median: 0.5, min: 0.5, max: 0.6 })
    expect(line.targets.map(({ isMet }) => isMet)).toEqual([true, false])
    expect(line.peer).toBeUndefined()
    expect(table([line])).toMatch(/0\.50 \[0\.50–0\.60\].*met; ≤ 40 MISSED/)
  })

  test('contestants are measured in turn, and in the other order every second time', async () => {
    const order: string[] = []
    const contestant = (name: string) => async () => {
      order.push(name)
      return {}
    }
    await interleaved({ ours: contestant('ours'), floor: contestant('floor') }, 3, () => {})
    expect(order).toEqual(['ours', 'floor', 'floor', 'ours', 'ours', 'floor'])
  })
})
