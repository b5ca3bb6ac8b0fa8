/** Prices of models: for each model of an endpoint, or of all, from a date on. All are of one currency. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import { notifyChange } from '../changes.ts'
import type { Database } from '../database.ts'
import type { Query } from '../postgres/query.ts'
import { sql } from '../postgres/sql.ts'
import { type UsageUnit, usageUnits } from './entry.ts'

export const priceLimits = {
  pricesMax: 5_000,
  /** Of a million units, in millionths: nine figures of the currency. Times the largest amount it fits a sum. */
  microUnitsMax: 1_000_000_000_000_000,
}

/** Millionths of the currency for a million units. */
export type UnitPrices = Partial<Record<UsageUnit, number>>

export interface NewPrice {
  /** Blank: any. */
  endpoint: string
  model: string
  currency: string
  fromAt: Date
  /** Null: until the next one begins. */
  untilAt: Date | null
  units: UnitPrices
}

export interface Price extends NewPrice {
  id: number
  createdAt: Date
  createdBy: string
}

export class PriceRefused extends Failure {
  readonly code: 'prices_overlap' | 'currency_mixed' | 'currency_budgeted' | 'too_many_prices'
  constructor(code: PriceRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

type Row = Omit<Price, 'units' | 'id'> & { id: string } & Record<UsageUnit, string | null>

const columns = sql`id, endpoint, model, currency, from_at as "fromAt", until_at as "untilAt", token_in, token_cached, token_out,
  token_reasoning, second, character, image, call, created_at as "createdAt", created_by as "createdBy"`

export async function readPrices(db: Database): Promise<Price[]> {
  return await pricesIn(db.system)
}

async function pricesIn(query: Query): Promise<Price[]> {
  const rows = await query<Row>`
    select ${columns} from prices order by model, endpoint, from_at limit ${priceLimits.pricesMax}`
  return rows.map(({ id, endpoint, model, currency, fromAt, untilAt, createdAt, createdBy, ...units }) => ({
    ...{ id: Number(id), endpoint, model, currency, fromAt, untilAt, createdAt, createdBy },
    units: Object.fromEntries(
      usageUnits.flatMap((unit) => (units[unit] === null ? [] : [[unit, Number(units[unit])]])),
    ) as UnitPrices,
  }))
}

/**
 * Adds prices, all or none. @param replaces every other price goes
 * @throws PriceRefused
 */
export async function addPrices(
  db: Database,
  prices: readonly NewPrice[],
  { actor, replaces }: { actor: AuditActor; replaces: boolean },
): Promise<void> {
  await db.transaction('system', async (query) => {
    await query`lock table prices in share row exclusive mode`
    if (replaces) await query`delete from prices`
    const before = await pricesIn(query)
    checkTogether([...before, ...prices])
    await checkBudgets(query, prices[0]?.currency)
    for (const { endpoint, model, currency, fromAt, untilAt, units } of prices) {
      const of = (unit: UsageUnit) => units[unit] ?? null
      await query`
        insert into prices (endpoint, model, currency, from_at, until_at, token_in, token_cached, token_out, token_reasoning,
          second, character, image, call, created_by)
        values (${endpoint}, ${model}, ${currency}, ${fromAt}, ${untilAt}, ${of('token_in')}, ${of('token_cached')},
          ${of('token_out')}, ${of('token_reasoning')}, ${of('second')}, ${of('character')}, ${of('image')}, ${of('call')},
          ${actor.name})`
    }
    const after = {
      prices: prices.length,
      replaced: replaces,
      models: [...new Set(prices.map(({ model }) => model))].slice(0, 50),
    }
    await writeAudit(query, {
      actor,
      action: 'prices.add',
      target: null,
      after: { prices: prices.map(auditable) },
      summary: { after },
    })
  })
  await notifyChange(db, 'prices')
}

const auditable = ({ fromAt, untilAt, ...price }: NewPrice) => ({
  ...price,
  fromAt: fromAt.toISOString(),
  untilAt: untilAt?.toISOString() ?? null,
})

/** What was counted with it stays as it was. @returns whether it was there */
export async function removePrice(db: Database, id: number, actor: AuditActor): Promise<boolean> {
  const removed = await db.transaction('system', async (query) => {
    const rows = await query<{ endpoint: string; model: string }>`
      delete from prices where id = ${id} returning endpoint, model`
    if (rows[0])
      await writeAudit(query, { actor, action: 'prices.remove', target: String(id), summary: { before: rows[0] } })
    return rows.length > 0
  })
  if (removed) await notifyChange(db, 'prices')
  return removed
}

/** A budget of another currency would count nothing from then on, unseen. */
async function checkBudgets(query: Query, currency: string | undefined): Promise<void> {
  if (currency === undefined) return
  const [other] = await query<{ currency: string; budgets: number }>`
    select currency, count(*)::integer as budgets from budgets where unit = 'micro_units' and currency <> ${currency}
    group by currency limit 1`
  if (other)
    throw new PriceRefused(
      'currency_budgeted',
      `Budgets in ${other.currency} (${other.budgets}) would count nothing by prices in ${currency}. Remove them first.`,
    )
}

function checkTogether(prices: readonly NewPrice[]): void {
  if (prices.length > priceLimits.pricesMax)
    throw new PriceRefused('too_many_prices', `There are ${priceLimits.pricesMax} prices at most.`)
  const currencies = new Set(prices.map(({ currency }) => currency))
  if (currencies.size > 1)
    throw new PriceRefused(
      'currency_mixed',
      `All prices are of one currency, and these would be of ${[...currencies].join(' and ')}. Replace all to change it.`,
    )
  const sorted = prices.toSorted(
    (one, other) =>
      one.model.localeCompare(other.model) ||
      one.endpoint.localeCompare(other.endpoint) ||
      one.fromAt.getTime() - other.fromAt.getTime(),
  )
  for (const [at, price] of sorted.entries()) {
    const next = sorted[at + 1]
    if (!next || next.model !== price.model || next.endpoint !== price.endpoint) continue
    const isOver = price.untilAt ? price.untilAt <= next.fromAt : price.fromAt < next.fromAt
    if (!isOver)
      throw new PriceRefused(
        'prices_overlap',
        `Two prices of ${price.model} overlap: one from ${price.fromAt.toISOString()}, one from ${next.fromAt.toISOString()}.`,
      )
  }
}
