/** The watchdog's thread. It shares only the heartbeat with the main loop, so it goes on when that loop hangs. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { cell, type WatchdogTask } from './watchdog.ts'

const { shared, tickMs, ticksMax, startBeats, startTicksMax } = workerData as WatchdogTask
const cells = new Int32Array(shared)
let lastBeats = -1
let ticksWithoutBeat = 0

setInterval(() => {
  const beats = Atomics.load(cells, cell.beats)
  const isAlive = beats !== lastBeats || Atomics.load(cells, cell.isDebugged) === 1
  lastBeats = beats
  ticksWithoutBeat = isAlive ? 0 : ticksWithoutBeat + 1
  const limit = beats < startBeats ? startTicksMax : ticksMax
  if (ticksWithoutBeat < limit) return
  try {
    const time = new Date().toISOString()
    const msg = `the main loop did not run for ${Math.round(tickMs * limit)} ms: the process is killed`
    writeSync(2, `${JSON.stringify({ level: 'fatal', time, msg, pid: process.pid })}\n`)
  } catch {
    // Nobody reads standard error; the process is killed all the same.
  }
  process.kill(process.pid, 'SIGKILL')
}, tickMs)
