/** `/v1/admin/prices`: what models cost, listed, imported, exported and removed. */
import { z } from 'zod'
import { type UsageUnit, usageUnits } from '../../../store/usage/entry.ts'
import {
  addPrices,
  type NewPrice,
  type Price,
  priceLimits,
  readPrices,
  removePrice,
} from '../../../store/usage/prices.ts'
import { admin } from '../../access.ts'
import { badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { Currency } from './currency.ts'

const tag = 'usage'
const write = admin('money.write', { isInstallation: true })

const MicroUnits = z.int().min(0).max(priceLimits.microUnitsMax)

const UnitPrices = z
  .strictObject(
    Object.fromEntries(usageUnits.map((unit) => [unit, MicroUnits.optional()])) as Record<
      UsageUnit,
      z.ZodOptional<typeof MicroUnits>
    >,
  )
  .refine((units) => Object.values(units).some((price) => price !== undefined), 'a price has at least one unit')
  .describe(
    'Millionths of the currency for a million units: $2.50 for a million tokens is 2500000. Without a price of their own cached tokens cost as token_in, reasoning as token_out.',
  )

const text = (min: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(256)
    .regex(/^\P{Cc}*$/u, 'must have no control characters')

const NewPriceBody = z.strictObject({
  endpoint: text(0).default('').describe('The name of a model endpoint; empty: any.'),
  model: text(1),
  currency: Currency,
  from: z.iso.datetime({ offset: true }),
  until: z.iso
    .datetime({ offset: true })
    .nullable()
    .default(null)
    .describe('null: until the next price of the model begins.'),
  units: UnitPrices,
})

const PriceView = z.object({
  id: z.int(),
  endpoint: z.string(),
  model: z.string(),
  currency: z.string(),
  from: z.iso.datetime(),
  until: z.iso.datetime().nullable(),
  units: z.partialRecord(z.enum(usageUnits), z.int()),
  created_at: z.iso.datetime(),
  created_by: z.string(),
})

export const listPrices = route({
  method: 'GET',
  path: '/v1/admin/prices',
  summary: 'List the prices of models',
  description: `Of the whole installation, at most ${priceLimits.pricesMax}. Without id and the created fields an item is one of an import.`,
  tag,
  access: admin('money.read'),
  answers: { 200: z.object({ items: z.array(PriceView), currency: z.string().nullable() }) },
  async handle({ app }) {
    const prices = await readPrices(app.db)
    return { items: prices.map(priceView), currency: prices[0]?.currency ?? null }
  },
})

export const importPrices = route({
  method: 'POST',
  path: '/v1/admin/prices/import',
  summary: 'Add prices of models',
  description:
    'All or none. They count for turns that end from then on; what was counted stays. All prices are of one currency, and those of a model do not overlap.',
  tag,
  access: write,
  body: z.strictObject({
    prices: z.array(NewPriceBody).min(1).max(priceLimits.pricesMax),
    replace: z.boolean().default(false).describe('true: all other prices go.'),
  }),
  bodyBytesMax: 4_194_304,
  answers: { 200: z.object({ added: z.int() }) },
  async handle(call) {
    const { prices, replace } = call.body
    const parsed = prices.map(({ from, until, ...price }, at): NewPrice => {
      const fromAt = new Date(from)
      const untilAt = until === null ? null : new Date(until)
      if (untilAt && untilAt <= fromAt) throw badRequest('until is not later than from', `prices.${at}.until`)
      return { ...price, units: defined(price.units), fromAt, untilAt }
    })
    await addPrices(call.app.db, parsed, { actor: auditActor(call), replaces: replace })
    return { added: parsed.length }
  },
})

export const removePriceRoute = route({
  method: 'POST',
  path: '/v1/admin/prices/remove',
  summary: 'Remove a price',
  description: 'What was counted with it stays.',
  tag,
  access: write,
  body: z.strictObject({ id: z.int().min(1) }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    if (!(await removePrice(call.app.db, call.body.id, auditActor(call))))
      throw notFound('There is no such price.', 'id')
    return { ok: true }
  },
})

function defined(units: Partial<Record<UsageUnit, number | undefined>>): NewPrice['units'] {
  return Object.fromEntries(Object.entries(units).filter(([, price]) => price !== undefined)) as NewPrice['units']
}

function priceView({ id, endpoint, model, currency, fromAt, untilAt, units, createdAt, createdBy }: Price) {
  return {
    ...{ id, endpoint, model, currency, units },
    from: fromAt.toISOString(),
    until: untilAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    created_by: createdBy,
  }
}
