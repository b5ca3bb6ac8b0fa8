/** Watches that the event loop of this thread stays free. */
import { readFileSync } from 'node:fs'
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { expect } from 'vitest'

const tickMs = 5

/** On a machine that others use too it is the same. */
const workMsMax = 100

/** Time in which the thread neither worked nor stood in line for a core. A child process may make it wait that begins on a full machine. */
const waitMsMax = 1_000

interface Reading {
  atMs: number
  workedMs: number
  queuedMs: number
}

/** Between two turns of the loop. */
interface Gap {
  fromMs: number
  toMs: number
  workMs: number
}

export interface LoopWatch {
  /** Ends the watch. @throws AssertionError where the loop was held */
  expectFree(): void
}

/** @param limits `workMs`: processor time in one go, 100 by default */
export function watchLoop(limits = { workMs: workMsMax }): LoopWatch {
  const long: Gap[] = []
  const collected: PerformanceEntry[] = []
  // The collector of a test process, with what many files have left in its heap, takes up to 250 ms in one go: no work of ours.
  const collector = new PerformanceObserver((list) => collected.push(...list.getEntries()))
  collector.observe({ entryTypes: ['gc'] })
  let longestWaitMs = 0
  let last = reading()
  function tick(): void {
    const now = reading()
    const workMs = now.workedMs - last.workedMs
    if (workMs >= limits.workMs) long.push({ fromMs: last.atMs, toMs: now.atMs, workMs })
    longestWaitMs = Math.max(longestWaitMs, now.atMs - last.atMs - workMs - (now.queuedMs - last.queuedMs))
    last = now
  }
  const timer = setInterval(tick, tickMs)
  return {
    expectFree() {
      clearInterval(timer)
      tick()
      collected.push(...collector.takeRecords())
      collector.disconnect()
      const longestWorkMs = Math.max(0, ...long.map((gap) => gap.workMs - collectedMs(collected, gap)))
      expect(longestWorkMs, 'milliseconds of work between two turns of the event loop').toBeLessThan(limits.workMs)
      expect(longestWaitMs, 'milliseconds for which the event loop was blocked').toBeLessThan(waitMsMax)
    },
  }
}

function collectedMs(entries: readonly PerformanceEntry[], { fromMs, toMs }: Gap): number {
  const inside = entries.filter(({ startTime, duration }) => startTime >= fromMs && startTime + duration <= toMs)
  return inside.reduce((sum, { duration }) => sum + duration, 0)
}

function reading(): Reading {
  const { user, system } = process.threadCpuUsage()
  return { atMs: performance.now(), workedMs: (user + system) / 1_000, queuedMs: queuedMs() }
}

/** How long the main thread stood ready without a core; 0 where the system does not tell. */
function queuedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
