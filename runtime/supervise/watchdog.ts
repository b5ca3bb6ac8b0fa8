/** Kills the process when its main loop hangs: a thread counts its own ticks since the last heartbeat of the loop. */
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
  /** Ticks of the thread without a heartbeat. Ticks, not time: a machine that slept would look like a loop that hangs. */
  ticksMax: number
  /** While the loop has beaten less often than this, the process starts: `startTicksMax` holds. */
  startBeats: number
  startTicksMax: number
}

const ticksMax = 20
/** A start loads modules, which takes long on a machine that is busy: killed for it, the process would start as slowly again. */
const start = { startBeats: 40, startTicksMax: 6 * ticksMax }

/** @param hangMs how long the main loop may hang; at least ten times the longest pause that is normal */
export function startWatchdog(hangMs: number = seconds(10)): Watchdog {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  const cells = new Int32Array(shared)
  const tickMs = Math.max(10, hangMs / ticksMax)
  const beat = (): void => {
    Atomics.add(cells, cell.beats, 1)
    // A breakpoint stops the loop on purpose, and a stopped loop cannot report it.
    Atomics.store(cells, cell.isDebugged, inspector.url() === undefined ? 0 : 1)
  }
  beat()
  const beating = setInterval(beat, tickMs)
  beating.unref()
  const task: WatchdogTask = { shared, tickMs, ticksMax, ...start }
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
