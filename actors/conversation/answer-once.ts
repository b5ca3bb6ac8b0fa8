/** A call without a conversation: one turn, recorded, cancelled when its caller leaves. */
import type { TurnOutcome } from '../turn/messages.ts'
import { askTurn, asRunningTurn, endOf } from './ask-turn.ts'
import type { Post } from './messages.ts'
import { settled, turnEnd, turnStart } from './record.ts'
import { recordEnd } from './record-end.ts'
import type { ConversationContext } from './state.ts'
import { taskOf } from './task-of.ts'
import { TurnFailed } from './turn-failed.ts'

export type Answer = TurnOutcome & { status: 'completed' }

/** @throws TurnFailed */
export function answerOnce(context: ConversationContext, post: Post, signal: AbortSignal): Promise<Answer> {
  const { turns } = context.services
  return asRunningTurn(context, post, async () => {
    // Written while the model already works: the record costs its caller only what it takes longer than the model.
    const record = turns.begin(turnStart(context, post, null))
    const outcome = endOf(
      await askTurn(context, { ...post, live: null, task: taskOf(post, null) }, post.messages, signal),
    )
    // The answer waits until the turn is known to the database; that it has ended follows with the next group commit.
    void recordEnd(context, record, turnEnd(outcome))
    const failure = await settled(record.known)
    if (outcome.status !== 'completed') throw new TurnFailed(outcome.error)
    if (failure) throw failure
    return outcome
  })
}
