/** In a thread of its own: asks for `/healthz` without a pause and says how long the slowest answer took since it was last asked. */
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longestMs = 0
let begunMs = 0

function probe(): Promise<void> {
  begunMs = performance.now()
  return new Promise((resolve) => {
    const over = () => {
      longestMs = Math.max(longestMs, performance.now() - begunMs)
      begunMs = 0
      resolve()
    }
    const asked = request(`${workerData}/healthz`, { agent }, (answer) => answer.resume().on('end', over))
    asked.on('error', over)
    asked.end()
  })
}

parentPort?.on('message', () => {
  const waitingMs = begunMs === 0 ? 0 : performance.now() - begunMs
  parentPort?.postMessage(Math.max(longestMs, waitingMs))
  longestMs = 0
})

while (true) {
  await probe()
  await setTimeout(1)
}
