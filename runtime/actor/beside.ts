/** A handler's promise to answer later, from work that runs beside the mailbox: the actor is free for its next message. */
import type { Failure } from '../failure.ts'

declare const answer: unique symbol

export class Beside<Result> {
  declare readonly [answer]: Result
  /** Or why it is not done. */
  readonly work: ((signal: AbortSignal) => Promise<Result>) | Failure

  /** Called when the work has ended and its outcome has reached the actor. */
  readonly ended: (() => void) | undefined

  constructor(work: ((signal: AbortSignal) => Promise<Result>) | Failure, ended?: () => void) {
    this.work = work
    this.ended = ended
  }
}
