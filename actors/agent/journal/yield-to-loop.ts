/**
 * Those whose steps were committed together go on one by one, with a look at sockets and timers between them: a commit of a
 * hundred turns would otherwise be followed by a hundred tools at a stretch, during which nobody else is heard. Those that
 * take next to nothing share a turn of the event loop: a turn of it for each would cost more than they do.
 */

/** After so long at a stretch others are heard. One that takes longer by itself is the last of its stretch. */
const stretchMs = 2

const waiting: (() => void)[] = []
let isGoing = false

/** Resolves when those before have gone as far as they go at once. For one that is alone that is the next turn of the loop. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (isGoing) return
    isGoing = true
    setImmediate(stretch)
  })
}

function stretch(): void {
  next(performance.now() + stretchMs)
}

function next(untilMs: number): void {
  waiting.shift()?.()
  // Ticks run behind all microtasks: only there has it done what it does at once, and the clock tells how long that took.
  queueMicrotask(() => process.nextTick(follow, untilMs))
}

function follow(untilMs: number): void {
  isGoing = waiting.length > 0
  if (!isGoing) return
  if (performance.now() < untilMs) next(untilMs)
  else setImmediate(stretch)
}
