/** What one call of a model used, as it is counted: who asked, where, which model answered, and how many tokens. */
import { defaultEndpoint } from './endpoints/named-endpoint.ts'
import type { EndpointAttempt, Usage } from './transport.ts'

/** Plain data. */
export interface CallUsage {
  endpoint: string
  /** The name that the call was made with. */
  modelAsked: string
  model: string
  calls: number
  tokensIn: number
  /** Of them. */
  tokensCached: number
  tokensOut: number
  /** Of them. */
  tokensReasoning: number
  isEstimated: boolean
}

interface Answered {
  model: string
  usage: Usage
  isUsageEstimated: boolean
  attempts?: readonly EndpointAttempt[] | undefined
}

/** The names that a call is made with. */
export interface AskedModel {
  model: string
  routedModel?: string | undefined
}

export function callUsage(request: AskedModel, answered: Answered): CallUsage {
  const { model, usage, isUsageEstimated, attempts } = answered
  const tokensIn = whole(usage.prompt_tokens)
  const tokensOut = whole(usage.completion_tokens)
  return {
    endpoint: attempts?.at(-1)?.endpoint ?? defaultEndpoint,
    modelAsked: request.routedModel || request.model,
    model,
    calls: 1,
    tokensIn,
    tokensCached: Math.min(tokensIn, detail(usage['prompt_tokens_details'], 'cached_tokens')),
    tokensOut,
    tokensReasoning: Math.min(tokensOut, detail(usage['completion_tokens_details'], 'reasoning_tokens')),
    isEstimated: isUsageEstimated,
  }
}

function detail(details: unknown, name: string): number {
  if (typeof details !== 'object' || details === null) return 0
  return whole((details as Record<string, unknown>)[name])
}

/** A model may send anything. The bound is that of the columns. */
function whole(count: unknown): number {
  return typeof count === 'number' && count > 0 ? Math.min(Math.round(count), 2_000_000_000) : 0
}
