/** The prices in memory, and what calls cost by them: whole millionths, each entry rounded once, half up. */
import type { EntryCost, UsageAmounts, UsageUnit } from '../../store/usage/entry.ts'
import type { Price, UnitPrices } from '../../store/usage/prices.ts'
import { modelNames } from './model-names.ts'

export interface PricedCall {
  endpoint: string
  modelAsked: string
  model: string
}

export interface PriceBook {
  /** Null: it has no price. */
  costOf(call: PricedCall, amounts: UsageAmounts, atMs: number): EntryCost | null
  /** Under which name the sums have the usage of a model, which may name itself anew in each answer. */
  nameOf(model: string, atMs: number): string
  /** Replaces all. */
  use(prices: readonly Price[]): void
  /** Of all prices; undefined: there are none. */
  readonly currency: string | undefined
}

/** Prices are of so many units. */
const perUnits = 1_000_000n

export function priceBook(): PriceBook {
  /** By endpoint and model, the newest first. */
  let books = new Map<string, Price[]>()
  let currency: string | undefined

  function priceAt(endpoint: string, model: string, atMs: number): Price | undefined {
    return books
      .get(keyOf(endpoint, model))
      ?.find(({ fromAt, untilAt }) => fromAt.getTime() <= atMs && (untilAt === null || atMs < untilAt.getTime()))
  }

  return {
    get currency() {
      return currency
    },
    nameOf: modelNames(),
    costOf({ endpoint, modelAsked, model }, amounts, atMs) {
      if (books.size === 0) return null
      const price =
        priceAt(endpoint, model, atMs) ??
        priceAt('', model, atMs) ??
        priceAt(endpoint, modelAsked, atMs) ??
        priceAt('', modelAsked, atMs)
      return price
        ? { priceId: price.id, currency: price.currency, microUnits: microUnitsOf(price.units, amounts) }
        : null
    },
    use(prices) {
      books = new Map()
      for (const price of prices.toSorted((one, other) => other.fromAt.getTime() - one.fromAt.getTime())) {
        const key = keyOf(price.endpoint, price.model)
        const book = books.get(key)
        if (book) book.push(price)
        else books.set(key, [price])
      }
      currency = prices[0]?.currency
    },
  }
}

/** Names of endpoints have no line ends. */
const keyOf = (endpoint: string, model: string): string => `${endpoint}\n${model}`

/** Cached tokens cost what tokens in cost where they have no price of their own; so does reasoning of tokens out. */
export function microUnitsOf(prices: UnitPrices, amounts: UsageAmounts): bigint {
  const of = (amount: number, price: number | undefined): bigint =>
    amount > 0 && price ? BigInt(amount) * BigInt(price) : 0n
  const amountOf = (unit: UsageUnit): number => amounts[unit] ?? 0
  const cached = amountOf('token_cached')
  const reasoning = amountOf('token_reasoning')
  const sum =
    of(amountOf('token_in') - cached, prices.token_in) +
    of(cached, prices.token_cached ?? prices.token_in) +
    of(amountOf('token_out') - reasoning, prices.token_out) +
    of(reasoning, prices.token_reasoning ?? prices.token_out) +
    of(amountOf('second'), prices.second) +
    of(amountOf('character'), prices.character) +
    of(amountOf('image'), prices.image) +
    of(amountOf('call'), prices.call)
  return (sum + perUnits / 2n) / perUnits
}
