/** Starts the turn of a post as a child and waits for its outcome, within the bound on turns in all. */

import type { ChatMessage } from '../../models/transport.ts'
import { ActorCrashed, ActorStopped } from '../../runtime/actor/errors.ts'
import type { FailureCode } from '../../runtime/failure.ts'
import { turn } from '../turn/actor.ts'
import type { EndedTurn, TurnOutcome, TurnRequest } from '../turn/messages.ts'
import type { Post } from './messages.ts'
import type { ConversationContext } from './state.ts'
import { TurnFailed } from './turn-failed.ts'

/** Runs `work` while the turn counts as running. @throws TurnFailed when as many run as may */
export async function asRunningTurn<Result>(
  context: ConversationContext,
  post: Post,
  work: () => Promise<Result>,
): Promise<Result> {
  const { running, settings } = context.services
  if (!running.enter(post.turnId, settings.get('SERVICE_TURNS_MAX'))) {
    throw new TurnFailed({
      code: 'too_many_turns',
      status: 429,
      message: 'As many turns run as may (SERVICE_TURNS_MAX).',
      retryAfterMs: 1_000,
    })
  }
  try {
    return await work()
  } finally {
    running.leave(post.turnId)
  }
}

/** @param signal aborted: the model call is cancelled, and the outcome says so */
export async function askTurn(
  context: ConversationContext,
  asking: Omit<TurnRequest, 'messages'>,
  messages: ChatMessage[],
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const startedMs = context.clock.elapsed()
  const child = context.child(turn, asking.turnId)
  const onAbort = () => child.tell('cancel', {})
  const asked = child.ask(
    'run',
    {
      turnId: asking.turnId,
      model: asking.model,
      messages,
      parameters: asking.parameters,
      isStream: asking.isStream,
      live: asking.live,
      task: asking.task,
    },
    { deadlineMs: Number.POSITIVE_INFINITY },
  )
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await asked
  } catch (error) {
    const durationMs = context.clock.elapsed() - startedMs
    if (error instanceof ActorStopped)
      return unanswered(
        asking.model,
        durationMs,
        'interrupted',
        'interrupted',
        'The service stopped before the answer was complete.',
      )
    // A defect in the turn: logged where it crashed; the caller hears that it was ours.
    if (error instanceof ActorCrashed)
      return unanswered(
        asking.model,
        durationMs,
        'failed',
        'SVC-TURN',
        'The turn failed for a reason of the service’s own.',
      )
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** @throws a turn whose caller waits is never put aside */
export function endOf(outcome: TurnOutcome): EndedTurn {
  if (outcome.status === 'waiting') throw new Error('a turn whose caller waits was put aside')
  return outcome
}

function unanswered(
  model: string,
  durationMs: number,
  status: 'failed' | 'interrupted',
  code: FailureCode,
  message: string,
): TurnOutcome {
  return {
    status,
    error: { code, status: status === 'failed' ? 500 : 503, message },
    model,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    isUsageEstimated: true,
    timeToFirstTokenMs: null,
    durationMs,
  }
}
