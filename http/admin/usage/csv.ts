/** Usage as a table for spreadsheets: a line for each group, or for each of its hours or days. */
import type { z } from 'zod'
import { csvCell } from '../audit/export-lines.ts'
import type { UsageView } from './view.ts'

export interface UsageLine {
  at: string
  value: string
  name: string
  usage: z.infer<typeof UsageView>
}

const columns = {
  at: ({ at }) => at,
  value: ({ value }) => value,
  name: ({ name, value }) => name || value,
  turns: ({ usage }) => usage.turns,
  failed: ({ usage }) => usage.failed,
  cancelled: ({ usage }) => usage.cancelled,
  interrupted: ({ usage }) => usage.interrupted,
  usage_unknown: ({ usage }) => usage.usage_unknown,
  calls: ({ usage }) => usage.calls,
  calls_without_price: ({ usage }) => usage.calls_without_price,
  tokens_in: ({ usage }) => usage.tokens_in,
  tokens_cached: ({ usage }) => usage.tokens_cached,
  tokens_out: ({ usage }) => usage.tokens_out,
  tokens_reasoning: ({ usage }) => usage.tokens_reasoning,
  seconds: ({ usage }) => usage.seconds,
  characters: ({ usage }) => usage.characters,
  images: ({ usage }) => usage.images,
  latency_p50_ms: ({ usage }) => usage.latency.p50_ms ?? '',
  latency_p95_ms: ({ usage }) => usage.latency.p95_ms ?? '',
  latency_p99_ms: ({ usage }) => usage.latency.p99_ms ?? '',
  first_token_p50_ms: ({ usage }) => usage.first_token.p50_ms ?? '',
  first_token_p95_ms: ({ usage }) => usage.first_token.p95_ms ?? '',
  first_token_p99_ms: ({ usage }) => usage.first_token.p99_ms ?? '',
  cost_micro_units: ({ usage }) => usage.cost[0]?.micro_units ?? '',
  cost: ({ usage }) => units(usage.cost[0]?.micro_units),
  currency: ({ usage }) => usage.cost[0]?.currency ?? '',
} satisfies Record<string, (line: UsageLine) => string | number>

/** As a decimal number, exact. */
function units(microUnits: string | undefined): string {
  if (microUnits === undefined) return ''
  const digits = microUnits.padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

export function usageCsv(lines: readonly UsageLine[]): string {
  const rows = lines.map((line) =>
    Object.values(columns)
      .map((column) => csvCell(String(column(line))))
      .join(','),
  )
  return [Object.keys(columns).join(','), ...rows, ''].join('\r\n')
}
