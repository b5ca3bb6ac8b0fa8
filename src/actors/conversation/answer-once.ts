/** A call without a conversation: one turn, recorded, cancelled when its caller leaves. */
import type { TurnOutcome } from '../turn/messages.ts'
import { askTurn, asRunningTurn } from './ask-turn.ts'
import type { Post } from './messages.ts'
import { recorded, turnEnd, turnStart } from './record.ts'
import type { ConversationContext } from './state.ts'
import { TurnFailed } from './turn-failed.ts'

export type Answer = TurnOutcome & { status: 'completed' }

/** @throws TurnFailed */
export function answerOnce(context: ConversationContext, post: Post, signal: AbortSignal): Promise<Answer> {
  const { turns } = context.services
  return asRunningTurn(context, post, async () => {
    // Written while the model already works: the record costs its caller only what it takes longer than the model.
    const start = turnStart(context, post, null)
    const started = recorded(turns.start(start))
    const outcome = await askTurn(context, post, post.messages, signal)
    const ended = recorded(turns.finish(start, turnEnd(outcome)))
    const failure = (await started) ?? (await ended)
    if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
    if (failure) throw failure
    return outcome
  })
}
