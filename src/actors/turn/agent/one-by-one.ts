/**
 * Those whose steps were committed together go on one by one, with a look at sockets and timers between them: a commit of a
 * hundred turns would otherwise be followed by a hundred tools at a stretch, during which nobody else is heard.
 */

const waiting: (() => void)[] = []
let isGoing = false

/** Resolves in a turn of the event loop in which no other one does. For one that is alone that is the next. */
export function oneByOne(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (isGoing) return
    isGoing = true
    setImmediate(next)
  })
}

function next(): void {
  waiting.shift()?.()
  isGoing = waiting.length > 0
  if (isGoing) setImmediate(next)
}
