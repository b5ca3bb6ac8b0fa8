/** Load of stored conversations: every turn continues one, and the service keeps both messages and the turn. */
import { slotOf } from '../../runtime/nodes/slot.ts'
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { modelName } from '../upstream/script.ts'
import { chatBody, chatRequest } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

const header = 'x-service-conversation-id'

export async function storedLoad(job: Job & { kind: 'stored' }, listeners: PhaseListeners): Promise<Figures> {
  const body = chatBody(modelName({ kind: 'whole' }), false)
  const startNew = chatRequest(job.target, body, { [header]: 'new' })
  const tookMs: number[] = []
  const phases = await runPhases({ ...job, ...listeners }, async (now) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    let request = startNew
    for (let turn = 0; !now.isOver; turn++) {
      if (turn % job.turnsEach === 0) request = startNew
      const isFirst = request === startNew
      let conversation: string | undefined
      const startedMs = performance.now()
      const status = await connection.exchange(request, {
        head(_status, headers) {
          conversation = conversationIn(headers)
        },
      })
      if (status !== 200) throw new Error(`turn ${turn} was answered ${status}`)
      // Where slots are given, a new one is only the way to one of them.
      if (now.isMeasuring && !(isFirst && job.slots)) tookMs.push(performance.now() - startedMs)
      if (!isFirst) continue
      if (conversation === undefined) throw new Error('no conversation was stored')
      if (job.slots?.includes(slotOf(conversation)) === false) turn = -1
      else request = chatRequest(job.target, body, { [header]: conversation })
    }
    connection.close()
  })
  return {
    units: tookMs.length,
    turnsPerS: tookMs.length / phases.measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
  }
}

export function conversationIn(headers: string): string | undefined {
  return /\r\nx-service-conversation-id:\s*(conv_\S+)/i.exec(headers)?.[1]
}
