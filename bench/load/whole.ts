/** Load of answers that are not streamed: each connection asks again as soon as it is answered. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { modelName } from '../upstream/script.ts'
import { chatBody, chatRequest, postRequest, responsesBody } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

export async function wholeLoad(job: Job & { kind: 'whole' }, listeners: PhaseListeners): Promise<Figures> {
  const model = modelName({ kind: 'whole' })
  const request =
    job.api === 'responses'
      ? postRequest('/v1/responses', job.target, { body: responsesBody(model) })
      : chatRequest(job.target, chatBody(model, false))
  const tookMs: number[] = []
  const phases = await runPhases({ ...job, ...listeners }, async (now) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    while (!now.isOver) {
      const startedMs = performance.now()
      let text = ''
      const status = await connection.exchange(request, {
        body(bytes) {
          if (text.length < 400) text += bytes.toString('latin1')
        },
      })
      if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 400)}`)
      if (now.isMeasuring) tookMs.push(performance.now() - startedMs)
    }
    connection.close()
  })
  return {
    units: tookMs.length,
    requestsPerS: tookMs.length / phases.measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
  }
}
