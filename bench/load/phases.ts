/** Warm-up, then the time that counts: connections loop until it is over. */

export interface Phases {
  /** From here on what ends is counted. */
  isMeasuring: boolean
  isOver: boolean
  /** What the loops ran for, once over. */
  measuredS: number
}

/** Called as the time that counts begins and ends, so that others can measure the same time. */
export interface PhaseListeners {
  onBegin?(): void
  onEnd?(): void
}

/**
 * Runs `loop` once a connection. A loop ends its turn when `isOver`; a failed one ends the measurement, because a
 * contestant that fails fast would look fast.
 */
export async function runPhases(
  options: { connections: number; warmUpMs: number; measureMs: number } & PhaseListeners,
  loop: (phases: Phases, index: number) => Promise<void>,
): Promise<Phases> {
  const phases: Phases = { isMeasuring: false, isOver: false, measuredS: 0 }
  let startedMs = 0
  const warmUp = setTimeout(() => {
    phases.isMeasuring = true
    startedMs = performance.now()
    options.onBegin?.()
  }, options.warmUpMs)
  const end = setTimeout(() => {
    phases.isOver = true
    phases.isMeasuring = false
    phases.measuredS = (performance.now() - startedMs) / 1_000
    options.onEnd?.()
  }, options.warmUpMs + options.measureMs)
  try {
    await Promise.all(Array.from({ length: options.connections }, (_, index) => loop(phases, index)))
  } finally {
    clearTimeout(warmUp)
    clearTimeout(end)
  }
  return phases
}
