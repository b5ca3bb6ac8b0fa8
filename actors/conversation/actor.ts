/**
 * A conversation: the single writer of its messages, one turn at a time. A stored one lives as long as it is used; a
 * call without a conversation is one of a single turn that leaves memory with its answer.
 */
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'
import { defineActor } from '../services.ts'
import { turn } from '../turn/actor.ts'
import { answerOnce } from './answer-once.ts'
import { answerQueued, type Work } from './answer-queued.ts'
import { answerStored } from './answer-stored.ts'
import type { ConversationKey, Post } from './messages.ts'
import { type ConversationState, newConversationState } from './state.ts'

export const conversation = defineActor({
  kind: 'conversation',
  key: { parse: (value: unknown) => String(value) as ConversationKey },
  mailbox: { capacity: 64 },
  idle: minutes(5),
  supervision: { restarts: 5, withinMs: minutes(1), backoff: exponential(ms(50), seconds(5)) },
  start: (): ConversationState => newConversationState(),
  /** A turn that crashed: the post that asked for it hears so and is recorded as failed; those that wait behind it do not go down with it. */
  childFailed(): void {},
  receive: {
    /**
     * Answers when the turn has ended and is recorded. Deltas of a streamed turn come by the stream of its id.
     * @throws TurnFailed (the model, the database, a bound)
     */
    post(context, post: Post) {
      if (context.key.startsWith('turn_')) {
        context.finish()
        return context.beside((signal) => answerOnce(context, post, signal))
      }
      return context.beside((signal) => answerStored(context, post, signal))
    },
    /** Runs the oldest turn that waits in the queue. Answers when it has ended and is recorded, or was given back. */
    work(context, work: Work) {
      return context.beside(() => answerQueued(context, work))
    },
    /** Ends the model call of a turn that was cancelled in the store. */
    cancel(context, { turnId }: { turnId: TurnId }): void {
      if (context.services.running.has(turnId)) context.child(turn, turnId).tell('cancel', {})
    },
    /** What was remembered of the past no longer holds: the store was changed. */
    forget(context, _message: object): void {
      context.state.changes++
      context.services.histories.forget(context.key as ConversationId)
    },
  },
})
