/** Usage as the API gives it, and figures made of it. */
import type { Answer } from '../../api/types.ts'
import { moneyText } from '../../parts/format.ts'
import type { Language } from '../../text/text.ts'

export type Analytics = Answer<'GET /v1/admin/analytics'>
export type Usage = Analytics['total']
export type UsageGroup = Analytics['groups'][number]

export const groupings = [
  'none',
  'model',
  'agent',
  'agent_version',
  'key',
  'channel',
  'operator',
  'endpoint',
  'origin',
  'workspace',
] as const satisfies readonly Analytics['group_by'][]
export type Grouping = (typeof groupings)[number]

export const groupingOf = (name: string): Grouping => groupings.find((one) => one === name) ?? 'model'

/** Millionths; of the currency that the most was spent in. */
export function costOf({ cost }: Usage, currency: string): number | null {
  const found = cost.find((one) => one.currency === currency)
  return found ? Number(found.micro_units) : null
}

export function currencyOf({ cost }: Usage): string | undefined {
  return cost.toSorted((one, other) => Number(other.micro_units) - Number(one.micro_units))[0]?.currency
}

/** Every currency that something was counted in, the most first; `–` where nothing had a price. */
export function costText({ cost }: Usage, language: Language): string {
  if (cost.length === 0) return '–'
  return cost
    .toSorted((one, other) => Number(other.micro_units) - Number(one.micro_units))
    .map(({ currency, micro_units }) => moneyText(Number(micro_units), currency, language))
    .join(' + ')
}

/** The change as a share of the earlier value; null: there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null | undefined): number | null {
  if (now === null || before === null || before === undefined || before === 0) return null
  return (now - before) / before
}

/** ↑ 18 %, ↓ 4 %; empty where nothing is to be said. */
export function changeText(change: number | null, percent: (share: number) => string): string {
  if (change === null) return ''
  if (Math.abs(change) < 0.0005) return '='
  return `${change > 0 ? '↑' : '↓'}\u202f${percent(Math.abs(change))}`
}

/** Of a model or an agent, its turns can be listed. */
export function turnFilters(groupBy: Grouping, value: string | null): Record<string, string> {
  if (value === null || (groupBy !== 'model' && groupBy !== 'agent')) return {}
  return { [groupBy]: value }
}
