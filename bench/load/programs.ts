/** Runs a program again and again, one after the other, and times each from the call to its end. */
import { percentile } from '../statistics.ts'

const warmUpRuns = 3

export interface ProgramTimes {
  p50Ms: number
  p99Ms: number
  /** Of the very first, which finds nothing prepared. */
  firstMs: number
}

export async function programTimes(run: () => Promise<void>, runs: number): Promise<ProgramTimes> {
  const tookMs: number[] = []
  for (let at = 0; at < warmUpRuns + runs; at++) {
    const startedMs = performance.now()
    await run()
    tookMs.push(performance.now() - startedMs)
  }
  const counted = tookMs.slice(warmUpRuns)
  return { p50Ms: percentile(counted, 50), p99Ms: percentile(counted, 99), firstMs: tookMs[0] ?? Number.NaN }
}
