/** A budget as it is set, imported, exported and shown, by the API and on the command line. */
import { z } from 'zod'
import { ApiKeyId, BudgetId } from '../../../store/id.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import {
  type BudgetState,
  budgetLimits,
  budgetPeriods,
  budgetSubjects,
  budgetUnits,
  type NewBudget,
} from '../../../store/usage/budgets.ts'
import { badRequest } from '../../error.ts'
import { Currency } from './currency.ts'

const Limit = z.int().min(1).max(budgetLimits.amountMax).nullable()

export const NewBudgetBody = z.strictObject({
  subject: z.enum(budgetSubjects),
  value: z
    .string()
    .max(256)
    .default('')
    .describe('The id of a key or operator, the name of an agent, an origin; empty for the workspace.'),
  period: z.enum(budgetPeriods),
  unit: z.enum(budgetUnits).default('micro_units'),
  currency: Currency.optional().describe('Of micro_units: that of the prices.'),
  soft_limit: Limit.default(null),
  hard_limit: Limit.default(null),
})

export const BudgetsBody = z.strictObject({ budgets: z.array(NewBudgetBody).min(1).max(budgetLimits.ofWorkspace) })

export const BudgetView = z.object({
  id: BudgetId,
  subject: z.enum(budgetSubjects),
  value: z.string().nullable().describe('The id or the name of the subject; null: the workspace.'),
  period: z.enum(budgetPeriods),
  unit: z.enum(budgetUnits),
  currency: z.string().nullable(),
  soft_limit: z.int().nullable(),
  hard_limit: z.int().nullable(),
  spent: z.string().describe('In this period: a whole number, as text.'),
  state: z.enum(['within', 'soft', 'hard']).describe('Which limit is reached.'),
  updated_at: z.iso.datetime(),
  updated_by: z.string(),
  key_line: ApiKeyId.nullable().describe('Of a key: the line_id of the keys that it counts.'),
})

/** @param ofPrices the currency of the prices; undefined: there are none @throws ApiError */
export function newBudget(body: z.output<typeof NewBudgetBody>, ofPrices: string | undefined): NewBudget {
  const { subject, value, period, unit, currency, soft_limit: softLimit, hard_limit: hardLimit } = body
  if (softLimit === null && hardLimit === null)
    throw badRequest('a budget has a soft limit, a hard limit, or both', 'hard_limit')
  if (softLimit !== null && hardLimit !== null && softLimit > hardLimit)
    throw badRequest('the soft limit is above the hard limit', 'soft_limit')
  if ((unit === 'micro_units') !== (currency !== undefined))
    throw badRequest('micro_units have a currency, tokens have none', 'currency')
  if (currency !== undefined && ofPrices !== undefined && currency !== ofPrices)
    throw badRequest(`prices are in ${ofPrices}: nothing would count on this budget`, 'currency')
  return {
    subject,
    value: storedValue(subject, value),
    period,
    unit,
    currency: currency ?? '',
    softLimit,
    hardLimit,
  }
}

const idPrefixes: Partial<Record<BudgetState['subject'], string>> = { key: 'key', operator: 'oper' }

/** @throws ApiError where the subject has no such values */
function storedValue(subject: BudgetState['subject'], value: string): string {
  const prefix = idPrefixes[subject]
  if (prefix) {
    if (!new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(value))
      throw badRequest(`the value is an id: ${prefix}_…`, 'value')
    return value.slice(prefix.length + 1)
  }
  if (subject === 'workspace' && value !== '') throw badRequest('a budget of the workspace has no value', 'value')
  if (subject === 'agent' && value.trim() === '') throw badRequest('the value is the name of an agent', 'value')
  if (subject === 'origin' && !TurnOrigin.safeParse(value).success)
    throw badRequest(`the value is one of ${TurnOrigin.options.join(', ')}`, 'value')
  return value
}

export function budgetView(budget: BudgetState): z.infer<typeof BudgetView> {
  const { id, subject, value, period, unit, currency, softLimit, hardLimit, spent, updatedAt, updatedBy, keyLine } =
    budget
  const prefix = idPrefixes[subject]
  const isReached = (limit: number | null) => limit !== null && spent >= BigInt(limit)
  return {
    ...{ id, subject, period, unit },
    value: value === '' ? null : prefix ? `${prefix}_${value}` : value,
    currency: currency || null,
    soft_limit: softLimit,
    hard_limit: hardLimit,
    spent: String(spent),
    state: isReached(hardLimit) ? 'hard' : isReached(softLimit) ? 'soft' : 'within',
    updated_at: updatedAt.toISOString(),
    updated_by: updatedBy,
    key_line: keyLine,
  }
}

/** As an import takes it. */
export function exportedBudget(budget: BudgetState): z.input<typeof NewBudgetBody> {
  const { subject, value, period, unit, currency, soft_limit, hard_limit } = budgetView(budget)
  return { subject, value: value ?? '', period, unit, ...(currency && { currency }), soft_limit, hard_limit }
}
