/** One answer: the model is called, its deltas go out, its outcome comes back. Lives as long as that takes. */
import { TurnId } from '../../store/id.ts'
import { defineActor } from '../services.ts'
import type { TurnRequest } from './messages.ts'
import { runTurn } from './run.ts'
import type { TurnState } from './turn-context.ts'

export const turn = defineActor({
  kind: 'turn',
  key: TurnId,
  mailbox: { capacity: 16 },
  // A turn that crashes is not run again: its caller is told, and no answer is given twice.
  supervision: 'temporary',
  start: (): TurnState => ({ cancel: new AbortController() }),
  /** A sub-agent that crashed: the call that waits for it has failed, and the agent is told so. */
  childFailed(): void {},
  receive: {
    run(context, message: TurnRequest) {
      context.finish()
      return context.beside((stopped) => runTurn(context, message, stopped))
    },
    cancel(context, _message: object): void {
      context.state.cancel.abort()
    },
  },
})
