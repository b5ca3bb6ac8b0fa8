/** Prices are found by endpoint and model, whatever characters their names have. */
import { expect, test } from 'vitest'
import { usageEntries } from '../../../actors/usage/entries.ts'
import { otherModels } from '../../../actors/usage/model-names.ts'
import { priceBook } from '../../../actors/usage/price-book.ts'

test('a price of one endpoint is not that of another whose name and model read the same together', () => {
  const book = priceBook()
  const price = { currency: 'USD', fromAt: new Date(0), untilAt: null, createdAt: new Date(0), createdBy: 'test' }
  book.use([{ ...price, id: 1, endpoint: 'near far', model: 'm', units: { call: 1_000_000 } }])
  const costOf = (endpoint: string, model: string) =>
    book.costOf({ endpoint, modelAsked: model, model }, { call: 1 }, 1)?.microUnits
  expect(costOf('near far', 'm')).toBe(1n)
  expect(costOf('near', 'far m')).toBeUndefined()
})

test('models that are named anew in each answer share one name after five hundred in a day, each at its price', () => {
  const prices = priceBook()
  const call = { agent: null, agentVersion: null, endpoint: 'default', modelAsked: 'm', calls: 1, isEstimated: false }
  const tokens = { tokensIn: 1, tokensCached: 0, tokensOut: 1, tokensReasoning: 0 }
  const dayMs = 86_400_000
  const nameOf = (model: string, nowMs: number) =>
    usageEntries(prices, [{ ...call, ...tokens, model }], { answeredBy: model, nowMs })[0]?.model
  const price = { currency: 'USD', fromAt: new Date(0), untilAt: null, createdAt: new Date(0), createdBy: 'test' }
  prices.use([{ ...price, id: 1, endpoint: '', model: 'late', units: { call: 1_000_000 } }])
  for (let at = 0; at < 500; at++) expect(nameOf(`model ${at}`, dayMs)).toBe(`model ${at}`)
  expect(nameOf('late', dayMs)).toBe(otherModels)
  const [late] = usageEntries(prices, [{ ...call, ...tokens, model: 'late' }], { answeredBy: 'late', nowMs: dayMs })
  expect(late?.cost?.microUnits).toBe(1n)
  expect(nameOf('model 7', dayMs)).toBe('model 7')
  expect(nameOf('late', 2 * dayMs)).toBe('late')
})
