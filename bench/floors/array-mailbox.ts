/** The least that can be called an actor: an array drained by a microtask, one message at a time, no bounds, no faults. */

export class ArrayMailbox<State, Message> {
  readonly state: State
  readonly #handle: (state: State, message: Message) => void
  #waiting: Message[] = []
  #isScheduled = false

  constructor(state: State, handle: (state: State, message: Message) => void) {
    this.state = state
    this.#handle = handle
  }

  tell(message: Message): void {
    this.#waiting.push(message)
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(this.#drain)
  }

  readonly #drain = (): void => {
    const batch = this.#waiting
    this.#waiting = []
    this.#isScheduled = false
    for (const message of batch) this.#handle(this.state, message)
  }
}
