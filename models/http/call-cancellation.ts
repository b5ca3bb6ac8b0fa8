/** What ends a call from outside: its caller leaves, or its time is spent. One listener, one timer, whatever the call does. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import { callTimeout, cancelled, type ModelError } from '../errors.ts'

export class CallCancellation {
  /** Set once the call has to end. */
  reason: ModelError | undefined
  readonly #signal: AbortSignal
  readonly #clock: Clock
  readonly #endsMs: number
  readonly #timer: Timer | undefined
  #watcher: ((reason: ModelError) => void) | undefined

  /** @param budgetMs for the whole call, attempts and the waits between them included; 0: no limit */
  constructor(signal: AbortSignal, budgetMs: number, clock: Clock) {
    this.#signal = signal
    this.#clock = clock
    this.#endsMs = budgetMs > 0 ? clock.elapsed() + budgetMs : Number.POSITIVE_INFINITY
    this.#timer = budgetMs > 0 ? clock.after(budgetMs, () => this.#end(callTimeout(budgetMs))) : undefined
    if (signal.aborted) this.#end(cancelled())
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get remainingMs(): number {
    return this.#endsMs - this.#clock.elapsed()
  }

  /** The one who is told: who works or waits now. At once when the end has come already. */
  onCancel(watcher: ((reason: ModelError) => void) | undefined): void {
    this.#watcher = watcher
    if (this.reason) watcher?.(this.reason)
  }

  release(): void {
    this.#watcher = undefined
    this.#timer?.cancel()
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.#end(cancelled())

  #end(reason: ModelError): void {
    if (this.reason) return
    this.reason = reason
    this.#watcher?.(reason)
  }
}
