/** What is worked out of budgets and prices: the forecast of a period, and which price of a model holds today. */
import { expect, it } from 'vitest'
import { type Budget, budgetOfLine, forecastOf } from '../../web/pages/budgets/budget.ts'
import { lacksPrice, type Price, pricesByModel } from '../../web/pages/prices/price.ts'

const ms = (iso: string) => Date.parse(iso)

it('a forecast goes on as until now to the end of the day or month, and says nothing in the first tenth', () => {
  const budget = (period: Budget['period']) => ({ period, spent: '300' }) as Budget
  expect(forecastOf(budget('day'), ms('2026-03-31T06:00:00Z'))).toBe(1_200)
  expect(forecastOf(budget('day'), ms('2026-03-31T02:00:00Z'))).toBeNull()
  expect(forecastOf(budget('month'), ms('2026-04-16T00:00:00Z'))).toBe(600)
  expect(forecastOf(budget('month'), ms('2026-04-03T00:00:00Z'))).toBeNull()
  // December ends with the year.
  expect(forecastOf(budget('month'), ms('2026-12-16T12:00:00Z'))).toBe(600)
})

it('prices are gathered by model and endpoint: that of today, the next, and first those that are missing', () => {
  const price = (model: string, from: string, until: string | null = null) =>
    ({ model, endpoint: '', currency: 'USD', from, until, units: {} }) as Price
  const prices = [
    price('b', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'),
    price('a', '2026-01-01T00:00:00Z'),
    price('a', '2026-06-01T00:00:00Z'),
    price('a', '2026-05-01T00:00:00Z'),
  ]
  const usage = [
    { value: 'b', usage: { calls_without_price: 3 } },
    { value: 'new', usage: { calls_without_price: 7 } },
    { value: 'a', usage: { calls_without_price: 1 } },
  ] as unknown as Parameters<typeof pricesByModel>[1]
  const rows = pricesByModel(prices, usage, ms('2026-04-01T00:00:00Z'))
  expect(rows.map(({ model, today, next, unpriced }) => [model, today?.from, next?.from, unpriced])).toEqual([
    ['new', undefined, undefined, 7],
    ['b', undefined, undefined, 3],
    ['a', '2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z', 1],
  ])
  expect(rows.map(lacksPrice)).toEqual([true, true, false])
})

it('of several budgets of a key, the one that refuses its calls comes before a fuller one', () => {
  const soft = { id: 'fuller', key_line: 'key_1', state: 'soft' } as const
  const hard = { id: 'refuses', key_line: 'key_1', state: 'hard' } as const
  const other = { id: 'of another', key_line: 'key_2', state: 'within' } as const
  expect(budgetOfLine([soft, hard, other], 'key_1')?.id).toBe('refuses')
  expect(budgetOfLine([soft, other], 'key_1')?.id).toBe('fuller')
  expect(budgetOfLine([soft, other], 'key_3')).toBeUndefined()
})
