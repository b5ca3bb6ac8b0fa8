/** The watchdog's own thread. It shares nothing with the main loop but the heartbeat, so it sees it stand still. */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { cell, type WatchdogTask } from './watchdog.ts'

const { shared, tickMs, ticksMax } = workerData as WatchdogTask
const cells = new Int32Array(shared)
let seen = -1
let ticksWithoutBeat = 0

setInterval(() => {
  const beats = Atomics.load(cells, cell.beats)
  const isAlive = beats !== seen || Atomics.load(cells, cell.isDebugged) === 1
  seen = beats
  ticksWithoutBeat = isAlive ? 0 : ticksWithoutBeat + 1
  if (ticksWithoutBeat < ticksMax) return
  try {
    const time = new Date().toISOString()
    const msg = `the main loop stood still for ${Math.round(tickMs * ticksMax)} ms: the process is ended`
    writeSync(2, `${JSON.stringify({ level: 'fatal', time, msg, pid: process.pid })}\n`)
  } catch {
    // Nobody reads; the process is ended all the same.
  }
  process.kill(process.pid, 'SIGKILL')
}, tickMs)
