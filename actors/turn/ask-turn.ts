/** Runs a turn as a child of the actor that was asked for it, and waits for its outcome. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import { ActorCrashed, ActorStopped, Refusal } from '../../runtime/actor/errors.ts'
import type { TurnId } from '../../store/id.ts'
import type { Services } from '../services.ts'
import { turn } from './actor.ts'
import type { EndedTurn, TurnError, TurnOutcome, TurnRequest } from './messages.ts'
import { TurnFailed } from './turn-failed.ts'

/** Runs `work` while the turn counts as running. @throws TurnFailed when as many run as may */
export async function asRunningTurn<Result>(
  { running, settings }: Pick<Services, 'running' | 'settings'>,
  turnId: TurnId,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!running.enter(turnId, settings.get('SERVICE_TURNS_MAX'))) {
    throw new TurnFailed({
      code: 'too_many_turns',
      status: 429,
      message: 'As many turns run as may (SERVICE_TURNS_MAX).',
      retryAfterMs: 1_000,
    })
  }
  try {
    return await work()
  } catch (error) {
    if (error instanceof TurnFailed && error.code === 'database_down') running.lose(turnId)
    throw error
  } finally {
    running.leave(turnId)
  }
}

/** @param signal aborted: the model call is cancelled, and the outcome says so */
export async function askTurn<Key, State>(
  context: Pick<ActorContext<Key, State, Services>, 'clock' | 'child'>,
  { turnId, model, messages, parameters, isStream, responses, live, task }: TurnRequest,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const startedMs = context.clock.elapsed()
  const child = context.child(turn, turnId)
  const onAbort = () => child.tell('cancel', {})
  // Only these: a message to an actor carries nothing that it does not read.
  const request: TurnRequest = { turnId, model, messages, parameters, isStream, responses, live, task }
  const asked = child.ask('run', request, { deadlineMs: Number.POSITIVE_INFINITY })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await asked
  } catch (error) {
    const measured = { model, durationMs: context.clock.elapsed() - startedMs }
    if (error instanceof ActorStopped) return unanswered(serviceStopped, measured)
    if (error instanceof Refusal && error.code === 'turn_moved') return unanswered(turnMoved, measured)
    // A defect in the turn: logged where it crashed, and the caller learns that it was ours.
    if (error instanceof ActorCrashed) return unanswered(turnCrashed, measured)
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** A turn whose caller waits is paused only where the service stops while it waits for an operator: it ends there. */
export function endedTurn(outcome: TurnOutcome): EndedTurn {
  if (outcome.status !== 'waiting') return outcome
  return { ...outcome, ...serviceStopped }
}

const serviceStopped = {
  status: 'interrupted',
  error: {
    code: 'interrupted',
    status: 503,
    message: 'The service stopped before the answer was complete.',
  },
} as const

/** Its node was taken for dead, and others have closed the turn, or run it again. */
export const turnMoved = {
  status: 'interrupted',
  error: {
    code: 'node_lost',
    status: 503,
    message: 'The node that answered was taken for lost before the answer was complete.',
  },
} as const

const turnCrashed = {
  status: 'failed',
  error: {
    code: 'SVC-TURN',
    status: 500,
    message: 'The turn failed because of an error in the service.',
  },
} as const

function unanswered(
  end: { status: 'failed' | 'interrupted'; error: TurnError },
  measured: { model: string; durationMs: number },
): TurnOutcome {
  return {
    ...end,
    ...measured,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    isUsageEstimated: false,
    timeToFirstTokenMs: null,
  }
}
