/** The longest time in which the event loop heard nothing, while something else ran. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export function watchLoop(): { stop(): number } {
  const histogram = monitorEventLoopDelay({ resolution: 5 })
  histogram.enable()
  return {
    /** @returns milliseconds */
    stop() {
      histogram.disable()
      return histogram.max / 1e6
    },
  }
}
