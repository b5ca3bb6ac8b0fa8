/** Sums of usage as the API shows them. */
import { z } from 'zod'
import type { UsageSums } from '../../../store/usage/analytics.ts'
import { durations, firstTokens, type Percentiles } from '../../../store/usage/buckets.ts'

const Ms = z.number().nullable()

const PercentilesView = z.object({
  count: z.int().describe('Turns that were measured.'),
  p50_ms: Ms,
  p95_ms: Ms,
  p99_ms: Ms,
})

export const MoneyView = z.object({
  currency: z.string(),
  micro_units: z
    .string()
    .regex(/^-?\d+$/)
    .describe('Millionths of the currency, as text: a whole number of any size.'),
})

export const UsageView = z.object({
  turns: z.int().describe('Turns that ended in this time, each at its own agent and model.'),
  failed: z.int(),
  cancelled: z.int(),
  interrupted: z.int(),
  usage_unknown: z
    .int()
    .describe('Of these turns: ended from outside while they ran, so that nobody counted what they used.'),
  error_rate: z.number().nullable().describe('Failed of all, from 0 to 1; null: no turns.'),
  calls: z.int().describe('Calls of models, those of sub-agents too.'),
  calls_without_price: z.int(),
  tokens_in: z.int(),
  tokens_cached: z.int().describe('Of tokens_in.'),
  tokens_out: z.int(),
  tokens_reasoning: z.int().describe('Of tokens_out.'),
  seconds: z.int(),
  characters: z.int(),
  images: z.int(),
  estimated: z
    .int()
    .describe('Sums of calls that hold tokens counted from the text, because the model did not say how many it used.'),
  latency: PercentilesView.describe('Of completed turns, within five percent.'),
  first_token: PercentilesView.describe('Of completed turns that were streamed, within five percent.'),
  cost: z.array(MoneyView).describe('By currency. All prices are of one, but that may have changed.'),
})

export function usageView(sums: UsageSums): z.infer<typeof UsageView> {
  return {
    turns: sums.turns,
    failed: sums.failed,
    cancelled: sums.cancelled,
    interrupted: sums.interrupted,
    usage_unknown: sums.unknown,
    error_rate: sums.turns > 0 ? sums.failed / sums.turns : null,
    calls: sums.call,
    calls_without_price: sums.unpriced,
    tokens_in: sums.token_in,
    tokens_cached: sums.token_cached,
    tokens_out: sums.token_out,
    tokens_reasoning: sums.token_reasoning,
    seconds: sums.second,
    characters: sums.character,
    images: sums.image,
    estimated: sums.estimated,
    latency: percentiles(durations(sums.times)),
    first_token: percentiles(firstTokens(sums.times)),
    cost: [...sums.cost].map(([currency, microUnits]) => ({ currency, micro_units: String(microUnits) })),
  }
}

const percentiles = ({ count, p50, p95, p99 }: Percentiles) => ({ count, p50_ms: p50, p95_ms: p95, p99_ms: p99 })
