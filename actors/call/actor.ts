/** A call without a conversation: one turn, named after it, that leaves memory with its answer. It runs where it arrives. */
import { exponential } from '../../runtime/time/backoff.ts'
import { minutes, ms, seconds } from '../../runtime/time/duration.ts'
import { TurnId } from '../../store/id.ts'
import { defineActor } from '../services.ts'
import type { PostedTurn } from '../turn/posted-turn.ts'
import { answer } from './answer.ts'

export const call = defineActor({
  kind: 'call',
  key: TurnId,
  mailbox: { capacity: 4 },
  idle: minutes(5),
  supervision: { restarts: 5, withinMs: minutes(1), backoff: exponential(ms(50), seconds(5)) },
  start: () => undefined,
  /** A turn that crashed: its caller is answered that it failed. */
  childFailed(): void {},
  receive: {
    /**
     * Answers when the turn has ended. Deltas of a streamed turn come by the stream of its id.
     * @throws TurnFailed (the model, the database, a limit)
     */
    post(context, post: PostedTurn) {
      context.finish()
      return context.beside((signal) => answer(context, post, signal))
    },
  },
})
