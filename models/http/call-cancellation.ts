/** Ends a call from outside: its caller leaves, or its time is spent. One listener, whatever the call does. */
import type { Clock } from '../../runtime/time/clock.ts'
import { callTimeout, cancelled, type ModelError } from '../errors.ts'
import type { BudgetQueue } from './call-budgets.ts'

export class CallCancellation {
  /** Set once the call has to end. */
  reason: ModelError | undefined
  readonly endsMs: number
  readonly #signal: AbortSignal
  readonly #budget: BudgetQueue | undefined
  readonly #clock: Clock
  #listener: ((reason: ModelError) => void) | undefined

  /** @param budget for the whole call, attempts and the waits between them included; undefined: no limit */
  constructor(signal: AbortSignal, budget: BudgetQueue | undefined, clock: Clock) {
    this.#signal = signal
    this.#budget = budget
    this.#clock = clock
    this.endsMs = budget ? clock.elapsed() + budget.budgetMs : Number.POSITIVE_INFINITY
    budget?.add(this)
    if (signal.aborted) this.#end(cancelled())
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  get remainingMs(): number {
    return this.endsMs - this.#clock.elapsed()
  }

  /** Whoever works or waits for the call now; replaces the listener before. Called at once when the end has come already. */
  onCancel(listener: ((reason: ModelError) => void) | undefined): void {
    this.#listener = listener
    if (this.reason) listener?.(this.reason)
  }

  /** The time is spent. */
  expire(): void {
    this.#end(callTimeout(this.#budget?.budgetMs ?? 0))
  }

  release(): void {
    this.#listener = undefined
    this.#budget?.delete(this)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.#end(cancelled())

  #end(reason: ModelError): void {
    if (this.reason) return
    this.reason = reason
    this.#listener?.(reason)
  }
}
