/** The outcome of an agent's turn, by how its work ended. */
import { cancelled, type ModelError } from '../../models/errors.ts'
import type { EndpointAttempt } from '../../models/transport.ts'
import type { TurnError, TurnRequest } from '../turn/messages.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import type { Budget } from './budget/budget.ts'
import type { SummaryNotes } from './context/prompt-messages.ts'
import type { JournalMismatch } from './journal/journal.ts'
import type { LoopResult } from './loop-request.ts'
import type { UsageLedger } from './usage-ledger.ts'

/** What is found out while a turn runs and belongs to its outcome, however it ends. */
export interface TurnNotes extends SummaryNotes {
  /** The model that answered last. */
  answeredBy: string
  /** The turn has written into the conversation before its answer. */
  hasInterimMessage: boolean
  /** The model endpoints that were asked last, where there are several. */
  endpoints?: readonly EndpointAttempt[]
  ledger: UsageLedger
}

export function completed({ text, clientCalls, finishReason }: LoopResult) {
  const message: Record<string, unknown> = clientCalls
    ? { ...clientCalls, content: text === '' ? null : text }
    : { role: 'assistant', content: text }
  return {
    status: 'completed' as const,
    finishReason,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    extra: {},
  }
}

export function errorOf({ code, status, message, upstreamName, param, retryAfterMs, isOutage }: ModelError): TurnError {
  return { code, status, message, named: upstreamName, param, retryAfterMs, isOutage }
}

export function failed(error: ModelError) {
  return { status: 'failed' as const, error: errorOf(error) }
}

/** Another attempt would come to the same place: it has failed. */
export function mismatched({ code, message }: JournalMismatch) {
  const error: TurnError = { code, status: 500, message }
  return { status: 'failed' as const, error }
}

export function cutOff({ stopped }: TurnContext) {
  const { code, status, message } = cancelled()
  return {
    status: stopped.aborted ? ('interrupted' as const) : ('cancelled' as const),
    error: { code, status, message },
  }
}

export function measured(budget: Budget, notes: TurnNotes) {
  return {
    model: notes.answeredBy,
    usage: { ...budget.used },
    isUsageEstimated: budget.isEstimated,
    hasInterimMessage: notes.hasInterimMessage,
    endpoints: notes.endpoints,
    used: notes.ledger.rows(),
    ...(notes.summary && { summary: notes.summary }),
    ...(notes.isPastStale && { isPastStale: true }),
  }
}

export function nothingSpent({ model }: TurnRequest) {
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  return { model, usage, isUsageEstimated: false, hasInterimMessage: false }
}
