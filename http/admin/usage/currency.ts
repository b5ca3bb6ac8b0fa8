/** Currencies by their code of three letters, as this runtime knows them. */
import { z } from 'zod'

const currencies = new Set(Intl.supportedValuesOf('currency'))

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'the code of a currency: three capital letters')
  .refine((code) => currencies.has(code), 'no currency has this code')
