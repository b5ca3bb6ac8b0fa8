/** SIGTERM and SIGINT: the first starts the drain, a later one ends the process at once. */
import { type Clock, systemClock } from '../time/clock.ts'
import { seconds } from '../time/duration.ts'

/**
 * A terminal's Ctrl-C reaches a supervised gateway twice: from the terminal and from its parent. And a service manager may
 * signal every process of the service. A signal that follows the first this closely belongs to the same request.
 */
const sameRequestMs = seconds(1)

export interface StopSignals {
  onStop(signal: NodeJS.Signals): void
  onInsist(signal: NodeJS.Signals): void
  clock?: Clock
}

/** @returns removes the handlers */
export function onStopSignals({ onStop, onInsist, clock = systemClock }: StopSignals): () => void {
  let firstMs: number | undefined
  function onSignal(signal: NodeJS.Signals): void {
    if (firstMs === undefined) {
      firstMs = clock.elapsed()
      onStop(signal)
    } else if (clock.elapsed() - firstMs >= sameRequestMs) onInsist(signal)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
}
