/** A price as it is imported and exported, by the API and on the command line. */
import { z } from 'zod'
import { type UsageUnit, usageUnits } from '../../../store/usage/entry.ts'
import { type NewPrice, priceLimits } from '../../../store/usage/prices.ts'
import { badRequest } from '../../error.ts'
import { Currency } from './currency.ts'

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
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters and no halves of characters')

export const NewPriceBody = z.strictObject({
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

export const PricesBody = z.strictObject({ prices: z.array(NewPriceBody).min(1).max(priceLimits.pricesMax) })

/** @param untilName what the end is called where it was given @throws ApiError */
export function newPrice({ from, until, ...price }: z.output<typeof NewPriceBody>, untilName: string): NewPrice {
  const fromAt = new Date(from)
  const untilAt = until === null ? null : new Date(until)
  if (untilAt && untilAt <= fromAt) throw badRequest('until is not later than from', untilName)
  return { ...price, units: defined(price.units), fromAt, untilAt }
}

/** As an import takes it. */
export function exportedPrice({ endpoint, model, currency, fromAt, untilAt, units }: NewPrice) {
  const until = untilAt?.toISOString() ?? null
  return { endpoint, model, currency, from: fromAt.toISOString(), until, units }
}

function defined(units: Partial<Record<UsageUnit, number | undefined>>): NewPrice['units'] {
  return Object.fromEntries(Object.entries(units).filter(([, price]) => price !== undefined)) as NewPrice['units']
}
