/** SIGTERM and SIGINT: the first asks to stop, a later one insists. */
import { type Clock, systemClock } from '../time/clock.ts'
import { seconds } from '../time/duration.ts'

/**
 * A terminal's Ctrl-C reaches a supervised gateway twice: from the terminal and from its parent. And a service manager may
 * signal every process of the service. What follows the first this closely is the same wish.
 */
const sameWishMs = seconds(1)

export interface StopSignals {
  onStop(signal: NodeJS.Signals): void
  onInsist(signal: NodeJS.Signals): void
  clock?: Clock
}

/** @returns takes the handlers off again */
export function onStopSignals({ onStop, onInsist, clock = systemClock }: StopSignals): () => void {
  let firstMs: number | undefined
  function heard(signal: NodeJS.Signals): void {
    if (firstMs === undefined) {
      firstMs = clock.elapsed()
      onStop(signal)
    } else if (clock.elapsed() - firstMs >= sameWishMs) onInsist(signal)
  }
  process.on('SIGTERM', heard)
  process.on('SIGINT', heard)
  return () => {
    process.off('SIGTERM', heard)
    process.off('SIGINT', heard)
  }
}
