/** The longest time in which the event loop heard nothing, less the time in which the machine gave this thread no core. */
import { readFileSync } from 'node:fs'

const tickMs = 5

export function watchLoop(): { stop(): number } {
  let longestMs = 0
  let last = { atMs: performance.now(), waitedMs: waitedMs() }
  function look(): void {
    const now = { atMs: performance.now(), waitedMs: waitedMs() }
    longestMs = Math.max(longestMs, now.atMs - last.atMs - (now.waitedMs - last.waitedMs))
    last = now
  }
  const timer = setInterval(look, tickMs)
  return {
    /** @returns milliseconds */
    stop() {
      clearInterval(timer)
      look()
      return longestMs
    },
  }
}

/** How long the main thread stood ready without a core, on a machine that others use too; 0 where it is not told. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
