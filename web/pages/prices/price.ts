/** Prices in the API, gathered by model and endpoint: the one of today, the next one, and those before. */
import type { Answer, Body } from '../../api/types.ts'
import { priceText } from '../../parts/format.ts'
import type { Language } from '../../text/text.ts'

export type Price = Answer<'GET /v1/admin/prices'>['items'][number]
export type NewPrice = Body<'POST /v1/admin/prices/import'>['prices'][number]
type UsageGroup = Answer<'GET /v1/admin/analytics'>['groups'][number]

/** Priced by the million. */
export const millionUnits = ['token_in', 'token_cached', 'token_out', 'token_reasoning', 'character'] as const
/** Priced each. */
export const singleUnits = ['second', 'image', 'call'] as const
export const units = [...millionUnits, ...singleUnits]
export type Unit = (typeof units)[number]

const million = 1_000_000
const isSingle = (unit: Unit): boolean => (singleUnits as readonly Unit[]).includes(unit)

/** The API has millionths of the currency for a million units; people read and type the currency. */
export const amountOf = (unit: Unit, stored: number): number => stored / million / (isSingle(unit) ? million : 1)
export const storedOf = (unit: Unit, amount: number): number =>
  Math.round(amount * million * (isSingle(unit) ? million : 1))

export const unitPriceText = (
  unit: Unit,
  { units: of, currency }: Pick<Price, 'units' | 'currency'>,
  language: Language,
): string => {
  const stored = of[unit]
  return stored === undefined ? '–' : priceText(amountOf(unit, stored), currency, language)
}

export interface ModelPrices {
  key: string
  model: string
  /** Empty: any. */
  endpoint: string
  today: Price | undefined
  next: Price | undefined
  /** Newest first, all of them. */
  all: readonly Price[]
  /** Calls of the last 30 days that had no price. */
  unpriced: number
}

/** Models that are used and have no price today come first, most calls first. */
export function pricesByModel(
  prices: readonly Price[],
  usage: readonly UsageGroup[],
  nowMs = Date.now(),
): ModelPrices[] {
  const unpriced = new Map(
    usage.flatMap(({ value, usage: { calls_without_price: calls } }) =>
      value !== null && calls > 0 ? [[value, calls]] : [],
    ),
  )
  const byKey = Map.groupBy(prices, ({ model, endpoint }) => JSON.stringify([model, endpoint]))
  const rows = [...byKey].map(([key, all]) => rowOf(key, all, nowMs))
  // A model's calls are counted once: at the price that it has today, wherever that is.
  for (const row of rows.toSorted(
    (one, other) => Number(other.today !== undefined) - Number(one.today !== undefined),
  )) {
    row.unpriced = unpriced.get(row.model) ?? 0
    unpriced.delete(row.model)
  }
  const withoutAny = [...unpriced].map(([model, calls]) => ({
    ...{ key: JSON.stringify([model, '']), model, endpoint: '', today: undefined, next: undefined, all: [] },
    unpriced: calls,
  }))
  const missing = (row: ModelPrices) => (lacksPrice(row) ? row.unpriced : 0)
  return [...rows, ...withoutAny].toSorted(
    (one, other) =>
      missing(other) - missing(one) ||
      one.model.localeCompare(other.model) ||
      one.endpoint.localeCompare(other.endpoint),
  )
}

export const lacksPrice = ({ today, unpriced }: ModelPrices): boolean => today === undefined && unpriced > 0

function rowOf(key: string, all: readonly Price[], nowMs: number): ModelPrices {
  const newestFirst = all.toSorted((one, other) => Date.parse(other.from) - Date.parse(one.from))
  const begun = newestFirst.find(({ from }) => Date.parse(from) <= nowMs)
  const { model = '', endpoint = '' } = all[0] ?? {}
  return {
    ...{ key, model, endpoint, all: newestFirst, unpriced: 0 },
    today: begun && (begun.until === null || Date.parse(begun.until) > nowMs) ? begun : undefined,
    next: newestFirst.findLast(({ from }) => Date.parse(from) > nowMs),
  }
}

/** As an import takes them. */
export const exported = (prices: readonly Price[]): { prices: NewPrice[] } => ({
  prices: prices.map(({ endpoint, model, currency, from, until, units: of }) => ({
    ...{ endpoint, model, currency, from, until, units: of },
  })),
})
