/** A handler's promise to answer later, from work that runs beside the mailbox: the actor hears its next message at once. */

declare const answer: unique symbol

export class Beside<Result> {
  declare readonly [answer]: Result
  readonly work: (signal: AbortSignal) => Promise<Result>

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.work = work
  }
}
