/** Prices are found by endpoint and model, whatever characters their names have. */
import { expect, test } from 'vitest'
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
