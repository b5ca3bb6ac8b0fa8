/** The entries of a turn's usage, each with its cost. */
import type { UsageEntry } from '../../store/usage/entry.ts'
import type { UsedCalls } from '../agent/usage-ledger.ts'
import type { PriceBook } from './price-book.ts'

/** @param answeredBy the model that gave the answer: its entry is the first, and carries the turn */
export function usageEntries(
  prices: PriceBook,
  used: readonly UsedCalls[],
  { answeredBy, nowMs }: { answeredBy: string; nowMs: number },
): UsageEntry[] {
  const entries = used.map((calls): UsageEntry => {
    const amounts = {
      ...{ token_in: calls.tokensIn, token_cached: calls.tokensCached, token_out: calls.tokensOut },
      ...{ token_reasoning: calls.tokensReasoning, call: calls.calls },
    }
    const { agent, agentVersion, endpoint, modelAsked, model, isEstimated } = calls
    return {
      agent,
      agentVersion,
      endpoint,
      modelAsked,
      model,
      isEstimated,
      amounts,
      cost: prices.costOf(calls, amounts, nowMs),
    }
  })
  // The turn's own agent has called first, and a sub-agent's answer is not the turn's.
  const own = entries[0]?.agent ?? null
  const first = entries.findIndex(({ agent, model }) => agent === own && model === answeredBy)
  if (first > 0) entries.unshift(...entries.splice(first, 1))
  return entries.map((entry) => ({ ...entry, model: entry.model && prices.nameOf(entry.model, nowMs) }))
}
