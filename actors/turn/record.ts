/** The end of a turn as the store records it, and failures of the store as the turn's own. */
import { isOutage } from '../../runtime/failure.ts'
import type { TurnEnd } from '../../store/turns/turns.ts'
import { usageEntries } from '../usage/entries.ts'
import type { PriceBook } from '../usage/price-book.ts'
import type { EndedTurn } from './messages.ts'
import { TurnFailed } from './turn-failed.ts'

export function turnEnd(prices: PriceBook, outcome: EndedTurn, nowMs: number): TurnEnd {
  const error = outcome.status === 'completed' ? null : outcome.error
  return {
    status: outcome.status,
    model: outcome.model,
    promptTokens: outcome.usage.prompt_tokens,
    completionTokens: outcome.usage.completion_tokens,
    isUsageEstimated: outcome.isUsageEstimated,
    finishReason: outcome.status === 'completed' ? outcome.finishReason : null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    timeToFirstTokenMs: outcome.timeToFirstTokenMs,
    durationMs: outcome.durationMs,
    endpoints: outcome.endpoints,
    usage: usageEntries(prices, outcome.used ?? [], { answeredBy: outcome.model, nowMs }),
  }
}

/** The result of `work`. @throws TurnFailed for an outage, the error itself for a defect */
export async function orTurnFailed<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw asTurnFailed(error)
  }
}

/** Waits for `work` without throwing: what went wrong, if anything. */
export function settled(work: Promise<void>): Promise<unknown> {
  return work.then(() => undefined, asTurnFailed)
}

/** An outage of the store as the turn's failure; a defect stays a defect. */
function asTurnFailed(error: unknown): unknown {
  if (!isOutage(error)) return error
  return new TurnFailed({
    code: 'database_down',
    status: 503,
    message: 'The turn cannot be recorded now: the database does not answer.',
    retryAfterMs: 1_000,
  })
}
