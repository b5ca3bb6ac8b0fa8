/** A price in one line: In $2.50, Out $10.00. */
import type { Language, Translate } from '../../text/text.ts'
import { type Price, type Unit, unitPriceText } from './price.ts'
import type { pricesText } from './text.ts'

export const unitPricesText = (
  price: Price,
  units: readonly Unit[],
  t: Translate<typeof pricesText.en>,
  language: Language,
): string =>
  units
    .filter((unit) => price.units[unit] !== undefined)
    .map((unit) => `${t(unit)} ${unitPriceText(unit, price, language)}`)
    .join(', ')
