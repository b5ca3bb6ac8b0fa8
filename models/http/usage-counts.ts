/** The token counts that an endpoint sent, made into counts that can be added up and stored. */
import type { Usage } from '../transport.ts'
import { type Fields, isRecord } from './fields.ts'

/** The largest count of the database's columns, and more than any model has spent. */
const countMax = 2_147_483_647

/**
 * @param value as the chat convention has it
 * @param previous what the endpoint counted earlier: a count that it leaves out now stands
 * @returns undefined where the endpoint sent no counts
 */
export function usageIn(value: unknown, previous?: Usage): Usage | undefined {
  if (!isRecord(value)) return undefined
  const prompt = countIn(value['prompt_tokens'])
  const completion = countIn(value['completion_tokens'])
  if (prompt === undefined && completion === undefined) return undefined
  const promptTokens = prompt ?? previous?.prompt_tokens ?? 0
  const completionTokens = completion ?? previous?.completion_tokens ?? 0
  const usage: Usage = {
    ...value,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: countIn(value['total_tokens']) ?? Math.min(countMax, promptTokens + completionTokens),
  }
  for (const name of ['prompt_tokens_details', 'completion_tokens_details'])
    if (isRecord(value[name])) usage[name] = withCounts(value[name])
  return usage
}

/** Whole, and within what can be stored. A negative one says that the endpoint does not know. */
function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.min(countMax, Math.round(value)) : undefined
}

function withCounts(details: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === 'number' ? (countIn(value) ?? 0) : value]),
  )
}
