/** Decides which actor runs next: microtasks for speed, a step back to the event loop before sockets starve. */

export interface Runnable {
  /** Handles up to `budget` messages; returns how many it handled. */
  drain(budget: number): number
  /** Whether the last `drain` left something that can be handled now. */
  readonly hasMore: boolean
}

export interface Dispatcher {
  schedule(actor: Runnable): void
}

/** One actor's turn: long enough to stay in cache, short enough that a flooded actor does not hold up the others. */
const turnMessages = 64

/** Messages handled before timers and sockets get a chance. */
const loopMessages = 4_096

export function dispatcher(): Dispatcher {
  let ready: Runnable[] = []
  let head = 0
  let isWaiting = false
  let budget = loopMessages
  let isRefillDue = false

  function refill(): void {
    isRefillDue = false
    budget = loopMessages
  }

  function run(): void {
    while (head < ready.length) {
      if (budget <= 0) {
        setImmediate(resume)
        return
      }
      const actor = ready[head++] as Runnable
      budget -= Math.max(1, actor.drain(turnMessages))
      if (actor.hasMore) ready.push(actor)
      if (head > 1_024 && head * 2 > ready.length) {
        ready = ready.slice(head)
        head = 0
      }
    }
    ready.length = 0
    head = 0
    isWaiting = false
    // Microtasks may schedule us again within this same turn of the event loop: the budget must not start anew for them.
    if (!isRefillDue && budget < loopMessages / 2) {
      isRefillDue = true
      setImmediate(refill)
    }
  }

  function resume(): void {
    budget = loopMessages
    run()
  }

  return {
    schedule(actor) {
      ready.push(actor)
      if (isWaiting) return
      isWaiting = true
      queueMicrotask(run)
    },
  }
}
