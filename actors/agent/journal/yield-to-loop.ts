/**
 * Turns whose steps were committed together go on one by one, and sockets and timers are served between them: a commit of
 * a hundred turns would otherwise be followed by a hundred tools without a pause. Turns that take next to nothing share an
 * iteration of the event loop: an iteration for each would cost more than they do.
 */

/** After so long without a pause others are served. One that takes longer by itself is the last before the pause. */
const stretchMs = 2

/** @returns resolves when those before have done all that they do at once; for one that is alone, in the next iteration of the loop */
export function loopYielder(): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isGoing = false

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

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (isGoing) return
      isGoing = true
      setImmediate(stretch)
    })
}
