/** Errors that nobody caught: logged, counted and survived. Too many of them in a minute end the process. */
import type { Log } from '../log/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { minutes } from '../time/duration.ts'

export interface DefectOptions {
  log: Log
  /** Called once, at the sixth uncaught exception within a minute. */
  onTooMany: () => void
  metrics?: Metrics
  clock?: Clock
}

const exceptionsMax = 5
const withinMs = minutes(1)

/** @returns removes the handlers */
export function surviveDefects({ log, onTooMany, metrics, clock = systemClock }: DefectOptions): () => void {
  const recentMs: number[] = []
  let hasGivenUp = false
  const counter = metrics?.counter('service_defects_total')

  function onException(error: unknown): void {
    counter?.inc({ kind: 'uncaughtException' })
    log.error({ err: error }, 'defect: uncaught exception')
    const nowMs = clock.elapsed()
    recentMs.push(nowMs)
    while (recentMs[0] !== undefined && recentMs[0] <= nowMs - withinMs) recentMs.shift()
    if (recentMs.length <= exceptionsMax || hasGivenUp) return
    hasGivenUp = true
    log.fatal({ exceptions: recentMs.length, withinMs }, 'too many uncaught exceptions: draining, then restarting')
    onTooMany()
  }

  function onRejection(reason: unknown): void {
    counter?.inc({ kind: 'unhandledRejection' })
    log.error({ err: reason }, 'defect: unhandled rejection')
  }

  process.on('uncaughtException', onException)
  process.on('unhandledRejection', onRejection)
  return () => {
    process.off('uncaughtException', onException)
    process.off('unhandledRejection', onRejection)
  }
}
