/** Ends the process when its main loop stands still: a thread beside it counts its own ticks without a heartbeat. */
import inspector from 'node:inspector'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { seconds } from '../time/duration.ts'

export interface Watchdog {
  close(): Promise<void>
}

/** Cells of the shared memory. */
export const cell = { beats: 0, isDebugged: 1 } as const

export interface WatchdogTask {
  shared: SharedArrayBuffer
  tickMs: number
  /** The thread's own ticks without a beat. Its own, so that a machine that slept is not taken for a loop that hangs. */
  ticksMax: number
}

const ticksMax = 20

/** @param stillMs how long the main loop may stand still; at least ten times the longest pause that is normal */
export function startWatchdog(stillMs: number = seconds(10)): Watchdog {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  const cells = new Int32Array(shared)
  const tickMs = Math.max(10, stillMs / ticksMax)
  const beat = (): void => {
    Atomics.add(cells, cell.beats, 1)
    // A breakpoint holds the loop on purpose, and then it cannot say so any more.
    Atomics.store(cells, cell.isDebugged, inspector.url() === undefined ? 0 : 1)
  }
  beat()
  const beating = setInterval(beat, tickMs)
  beating.unref()
  const task: WatchdogTask = { shared, tickMs, ticksMax }
  const thread = new Worker(new URL(`./watchdog-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: task,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  thread.unref()
  return {
    async close() {
      clearInterval(beating)
      await thread.terminate()
    },
  }
}
