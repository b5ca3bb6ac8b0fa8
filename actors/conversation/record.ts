/** A turn's rows in the store, from what the conversation knows. */
import type { ConversationId } from '../../store/id.ts'
import type { TurnEnd, TurnStart } from '../../store/turns/turns.ts'
import type { EndedTurn } from '../turn/messages.ts'
import type { Post } from './messages.ts'
import type { ConversationContext } from './state.ts'
import { TurnFailed } from './turn-failed.ts'

export function turnStart(context: ConversationContext, post: Post, conversationId: ConversationId | null): TurnStart {
  return {
    id: post.turnId,
    workspaceId: post.workspaceId,
    conversationId,
    apiKeyId: post.apiKeyId,
    requestId: post.requestId,
    model: post.model,
    isStream: post.isStream,
    startedAt: new Date(context.clock.now()),
    agent: post.agent?.name ?? null,
  }
}

/** Whether the turn's messages and what was known before it are all that the next turn is to be told. */
export function isWhole({ hasInterimMessage, isPastStale }: EndedTurn): boolean {
  return !hasInterimMessage && !isPastStale
}

export function turnEnd(outcome: EndedTurn): TurnEnd {
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
  }
}

/** Failures of the store that a caller can act on by asking again. */
const passing = new Set(['database_down', 'batch_full', 'batch_closed'])

/** A store's failure as the turn's; a defect stays a defect. */
export function storeFailure(error: unknown): unknown {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
  if (typeof code !== 'string' || !passing.has(code)) return error
  return new TurnFailed({
    code: 'database_down',
    status: 503,
    message: 'The turn cannot be recorded now: the database does not answer.',
    retryAfterMs: 1_000,
  })
}

/** The result of `work`. @throws TurnFailed for what passes, the error itself for a defect */
export async function orFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw storeFailure(error)
  }
}

/** Waits for `work` without throwing: what went wrong, if anything. */
export function settled(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error) => storeFailure(error),
  )
}
