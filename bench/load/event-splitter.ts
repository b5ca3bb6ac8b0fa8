/** Cuts a server-sent event stream into its events: no more than the load needs of a parser. */

export class EventSplitter {
  /** Called once, at the event `ready`. */
  onReady: (() => void) | undefined
  readonly #onEvent: (event: string) => void
  #rest = ''

  constructor(onEvent: (event: string) => void) {
    this.#onEvent = onEvent
  }

  feed(bytes: Buffer): void {
    this.#rest += bytes.toString('latin1')
    for (let end = this.#rest.indexOf('\n\n'); end >= 0; end = this.#rest.indexOf('\n\n')) {
      const event = this.#rest.slice(0, end)
      this.#rest = this.#rest.slice(end + 2)
      if (event.includes('event: ready')) this.onReady?.()
      else if (event.includes('data:')) this.#onEvent(event)
    }
  }
}
