/**
 * Ends calls whose time is spent. Calls with the same budget run out in the order in which they began, so one timer, for the
 * oldest, serves all of them.
 */
import type { Clock } from '../../runtime/time/clock.ts'

interface BudgetedCall {
  readonly endsMs: number
  /** Its time is spent. */
  expire(): void
}

/** The calls of one budget, the oldest first. */
export class BudgetQueue {
  readonly budgetMs: number
  readonly #clock: Clock
  readonly #calls = new Set<BudgetedCall>()
  #isArmed = false

  constructor(clock: Clock, budgetMs: number) {
    this.#clock = clock
    this.budgetMs = budgetMs
  }

  add(call: BudgetedCall): void {
    this.#calls.add(call)
    if (!this.#isArmed) this.#arm(this.budgetMs)
  }

  delete(call: BudgetedCall): void {
    this.#calls.delete(call)
  }

  #arm(delayMs: number): void {
    this.#isArmed = true
    this.#clock.after(delayMs, this.#expire)
  }

  readonly #expire = (): void => {
    this.#isArmed = false
    for (const call of this.#calls) {
      const remainingMs = call.endsMs - this.#clock.elapsed()
      if (remainingMs > 0) {
        this.#arm(remainingMs)
        return
      }
      this.#calls.delete(call)
      call.expire()
    }
  }
}

/** @returns the queue for calls that begin now. Another budget begins another queue; earlier calls end in theirs. */
export function budgetQueues(clock: Clock): (budgetMs: number) => BudgetQueue {
  let current = new BudgetQueue(clock, 0)
  return (budgetMs) => {
    if (budgetMs !== current.budgetMs) current = new BudgetQueue(clock, budgetMs)
    return current
  }
}
