/** A call without a conversation: one turn, recorded, cancelled when its caller leaves. */
import { runningTurn } from '../turn/start.ts'
import type { TurnOutcome } from '../turn/messages.ts'
import type { Post } from './messages.ts'
import { turnEnd, turnStart } from './record.ts'
import type { ConversationContext } from './state.ts'
import { TurnFailed } from './turn-failed.ts'

/** @throws TurnFailed */
export async function answerOnce(context: ConversationContext, post: Post, signal: AbortSignal): Promise<TurnOutcome & { status: 'completed' }> {
  const { turns } = context.services
  return await runningTurn(context, post.turnId, async () => {
    // Recorded while the model already works: the record costs the caller only what it takes longer than the model.
    const started = turns.start(turnStart(context, post, null))
    started.catch(ignore)
    const outcome = await askTurn(context, post, post.messages, signal)
    await Promise.all([started, turns.finish(turnEnd(post, outcome))])
    if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
    return outcome
  })
}
