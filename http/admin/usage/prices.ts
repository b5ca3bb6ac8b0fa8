/** `/v1/admin/prices`: what models cost, listed, imported, exported and removed. */
import { z } from 'zod'
import { usageUnits } from '../../../store/usage/entry.ts'
import { addPrices, type Price, priceLimits, readPrices, removePrice } from '../../../store/usage/prices.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { exportedPrice, newPrice, PricesBody } from './price-body.ts'

const tag = 'usage'
const write = admin('money.write', { isInstallation: true })

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
  body: PricesBody.extend({ replace: z.boolean().default(false).describe('true: all other prices go.') }),
  bodyBytesMax: 4_194_304,
  answers: { 200: z.object({ added: z.int() }) },
  async handle(call) {
    const { prices, replace } = call.body
    const parsed = prices.map((price, at) => newPrice(price, `prices.${at}.until`))
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

function priceView(price: Price) {
  const { id, createdAt, createdBy } = price
  return { id, ...exportedPrice(price), created_at: createdAt.toISOString(), created_by: createdBy }
}
