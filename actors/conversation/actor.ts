/** A stored conversation: the single writer of its messages, one turn at a time. It leaves memory when it is not used. */
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { ConversationId, type TurnId } from '../../store/id.ts'
import type { QueueNews } from '../queue/turn-queue.ts'
import { defineActor } from '../services.ts'
import { turn } from '../turn/actor.ts'
import { answerPosted, conversationBusy, type Post, postsWaitingMax } from './answer-posted.ts'
import { answerQueued, type QueuedWork } from './answer-queued.ts'
import { type ConversationState, newConversationState } from './state.ts'

export const conversation = defineActor({
  kind: 'conversation',
  key: ConversationId,
  placement: 'slot',
  mailbox: { capacity: 64 },
  idle: minutes(5),
  supervision: { restarts: 5, withinMs: minutes(1), backoff: exponential(ms(50), seconds(5)) },
  start: (): ConversationState => newConversationState(),
  /** A turn that crashed: its post fails and is recorded as failed; those that wait behind it go on. */
  childFailed(): void {},
  receive: {
    /**
     * Answers when the turn has ended and is recorded. Deltas of a streamed turn come by the stream of its id.
     * @throws TurnFailed (the model, the database, a limit)
     */
    post(context, post: Post) {
      return context.inTurn((signal) => answerPosted(context, post, signal), postsWaitingMax, conversationBusy)
    },
    /** Runs the oldest turn that waits in the queue. Answers when it has ended and is recorded, or was given back. */
    work(context, work: QueuedWork) {
      return context.inTurn(() => answerQueued(context, work), Number.POSITIVE_INFINITY)
    },
    /** Another node has stored, found or cancelled turns of this conversation. */
    queue({ services, key }, news: QueueNews): void {
      services.queue.hear(key, news)
    },
    /** Ends the model call of a turn that was cancelled in the store. */
    cancel(context, { turnId }: { turnId: TurnId }): void {
      if (context.services.running.has(turnId)) context.child(turn, turnId).tell('cancel', {})
    },
    /** The history was changed in the store, past this actor: what is in memory no longer holds. */
    forget(context, _message: object): void {
      context.state.changes++
      context.services.histories.forget(context.key)
    },
  },
})
