/** Load on the inbound endpoint: senders who post one message after another, or connectors who post lines of them. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { ClientConnection } from './client-connection.ts'
import { messageText, sendersMax } from './enqueue.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

/** Told apart from those of another run on the same service. */
const run = `${process.pid}-${Date.now()}`

export async function inboundLoad(job: Job & { kind: 'inbound' }, listeners: PhaseListeners): Promise<Figures> {
  const tookMs: number[] = []
  let next = 0
  let accepted = 0
  const phases = await runPhases({ ...job, ...listeners }, async (now) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    while (!now.isOver) {
      const lines = Array.from({ length: job.messagesEach }, () => envelope(next++))
      const startedMs = performance.now()
      const status = await connection.exchange(requestOf(lines))
      if (status !== 202) throw new Error(`an envelope was answered ${status}`)
      if (!now.isMeasuring) continue
      tookMs.push(performance.now() - startedMs)
      accepted += lines.length
    }
    connection.close()
  })
  return {
    units: accepted,
    acceptedPerS: accepted / phases.measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
  }
}

function envelope(at: number): string {
  return `{"channel":"generic","external_id":"sender-${at % sendersMax}","message_id":"${run}-${at}","text":"${messageText}"}`
}

function requestOf(lines: string[]): Buffer {
  const body = lines.join('\n')
  const type = lines.length === 1 ? 'application/json' : 'application/x-ndjson'
  return Buffer.from(
    `POST /v1/inbound HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
