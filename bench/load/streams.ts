/** Load of streamed answers: each connection reads one after another to its end, and times what it reads. */
import { setTimeout as pause } from 'node:timers/promises'
import { nowUs } from '../monotonic.ts'
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { modelName } from '../upstream/script.ts'
import { chatBody, chatRequest } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, type Phases, runPhases } from './phases.ts'
import { TokenCounter } from './token-counter.ts'

export type StreamJob = Job & ({ kind: 'burst' } | { kind: 'paced' })

interface Seen {
  chunks: number
  streams: number
  firstChunkMs: number[]
  /** From the endpoint's write to this process's read; only of chunks that carry their time. */
  delayMs: number[]
}

export async function streamLoad(job: StreamJob, listeners: PhaseListeners): Promise<Figures> {
  const request = chatRequest(job.target, chatBody(modelName(job), true))
  const totals: Seen = { chunks: 0, streams: 0, firstChunkMs: [], delayMs: [] }
  const phases = await runPhases({ ...job, ...listeners }, async (now, index) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    // People do not all ask in the same millisecond: paced streams begin one after the other, and stay apart.
    if (job.kind === 'paced') await pause((index * job.warmUpMs) / job.connections)
    while (!now.isOver) await oneStream(job, connection, request, now, totals)
    connection.close()
  })
  return {
    units: totals.chunks,
    chunksPerS: totals.chunks / phases.measuredS,
    streamsPerS: totals.streams / phases.measuredS,
    // A stream may be longer than the time that counts: then none began in it.
    ...(totals.firstChunkMs.length > 0 && {
      firstChunkP50Ms: percentile(totals.firstChunkMs, 50),
      firstChunkP99Ms: percentile(totals.firstChunkMs, 99),
    }),
    ...(totals.delayMs.length > 0 && {
      delayP50Ms: percentile(totals.delayMs, 50),
      delayP99Ms: percentile(totals.delayMs, 99),
    }),
  }
}

async function oneStream(
  job: StreamJob,
  connection: ClientConnection,
  request: Buffer,
  now: Phases,
  seen: Seen,
): Promise<void> {
  // What came in one read was received together, whichever of it is looked at first.
  let readUs = 0
  let counted = 0
  const counter = new TokenCounter((sentUs) => {
    if (now.isMeasuring) seen.delayMs.push((readUs - sentUs) / 1_000)
  })
  let isFirst = true
  const startsMeasured = now.isMeasuring
  const startedMs = performance.now()
  let tail = ''
  const status = await connection.exchange(request, {
    body(bytes) {
      readUs = nowUs()
      counter.bytes(bytes)
      if (isFirst && counter.count > 0) {
        isFirst = false
        if (startsMeasured) seen.firstChunkMs.push(performance.now() - startedMs)
      }
      if (now.isMeasuring) seen.chunks += counter.count - counted
      counted = counter.count
      tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - 64))).slice(-64)
    },
  })
  if (status !== 200) throw new Error(`answered ${status}`)
  if (counter.count !== job.chunks) throw new Error(`${job.chunks} chunks were sent, ${counter.count} came`)
  if (!tail.trimEnd().endsWith('data: [DONE]')) throw new Error(`a stream ended with ${JSON.stringify(tail)}`)
  if (now.isMeasuring) seen.streams++
}
