/** Budgets in the API: how full one is, in which words, and what it will have cost when its period ends. */
import type { Answer } from '../../api/types.ts'
import { moneyText, shortNumberText } from '../../parts/format.ts'
import type { Language } from '../../text/text.ts'

export type Budget = Answer<'GET /v1/admin/budgets'>['items'][number]
export type Subject = Budget['subject']

export const subjects = ['workspace', 'agent', 'key', 'operator', 'origin'] as const satisfies readonly Subject[]

const million = 1_000_000

/** Money is stored in millionths, and typed and read in the currency. */
export const amountOf = ({ unit }: Pick<Budget, 'unit'>, stored: number): number =>
  unit === 'tokens' ? stored : stored / million
export const storedOf = ({ unit }: Pick<Budget, 'unit'>, amount: number): number =>
  Math.round(unit === 'tokens' ? amount : amount * million)

export function amountText(
  { unit, currency }: Pick<Budget, 'unit' | 'currency'>,
  stored: number | null,
  language: Language,
): string {
  return unit === 'tokens' ? shortNumberText(stored, language) : moneyText(stored, currency ?? 'USD', language)
}

/** What it may use: the hard limit, or without one the soft one. */
export const limitOf = ({ hard_limit, soft_limit }: Budget): number => hard_limit ?? soft_limit ?? 0

export const shareOf = (budget: Budget): number => Number(budget.spent) / Math.max(1, limitOf(budget))

/** Too early, a period says nothing about its end. */
const elapsedLeast = 0.1

/** What it will have used at the end of its period, if it goes on as until now; null: too early to say. */
export function forecastOf({ period, spent }: Budget, nowMs = Date.now()): number | null {
  const now = new Date(nowMs)
  const day = period === 'day' ? now.getUTCDate() : 1
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day)
  const endMs = Date.UTC(
    now.getUTCFullYear(),
    now.getUTCMonth() + (period === 'day' ? 0 : 1),
    period === 'day' ? day + 1 : 1,
  )
  const elapsed = (nowMs - startMs) / (endMs - startMs)
  return elapsed < elapsedLeast ? null : Number(spent) / elapsed
}

/** The filters of Analytics that show what a budget counts. */
export function usageFilters({ subject, value, period }: Budget): Record<string, string> {
  const span = period === 'day' ? 'today' : 'month'
  if (subject === 'workspace') return { span, by: 'model' }
  return { span, by: subject, ...(value !== null && { value }) }
}

/** Runs of evaluations are counted by budgets, and are not in the views of usage. */
export const isOutsideAnalytics = ({ subject, value }: Budget): boolean =>
  subject === 'origin' && (value === 'eval' || value === 'shadow')

/** Of the keys of a line, from the fullest first: the one that refuses calls before one that only alerts. */
export function budgetOfLine<One extends Pick<Budget, 'key_line' | 'state'>>(
  budgets: readonly One[],
  line: string,
): One | undefined {
  const own = budgets.filter(({ key_line }) => key_line === line)
  return own.find(({ state }) => state === 'hard') ?? own[0]
}
