/** Load of an agent's turns with tool steps, and of the bare model calls that such a turn is made of. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { modelName } from '../upstream/script.ts'
import { callOf } from '../upstream/tool-turn.ts'
import { chatBody, chatRequest } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

export type TurnJob = Job & ({ kind: 'agent-turns' } | { kind: 'model-calls' })

/** Of an answer; more of it is not kept to look at. */
const answerBytesMax = 8_192

export async function turnLoad(job: TurnJob, listeners: PhaseListeners): Promise<Figures> {
  const requests = requestsOf(job)
  const tookMs: number[] = []
  let ended = 0
  const phases = await runPhases({ ...job, ...listeners }, async (now) => {
    const connection = new ClientConnection(job.target)
    await connection.open()
    while (!now.isOver) {
      const startedMs = performance.now()
      let answer = ''
      for (const request of requests) answer = await answered(connection, request)
      // One that ran into a bound would have made fewer steps.
      if (!answer.includes('"finish_reason":"stop"')) throw new Error(`a turn ended with ${answer.slice(0, 400)}`)
      if (now.isMeasuring) ended++
      // The turns under way at the end are waited for: the longest would be missing otherwise, or all.
      if (now.isMeasuring || now.isOver) tookMs.push(performance.now() - startedMs)
    }
    connection.close()
  })
  return {
    units: ended,
    turnsPerS: ended / phases.measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
  }
}

/** What one turn sends: an agent is asked once, the model itself once a step and once for the answer. */
function requestsOf(job: TurnJob): Buffer[] {
  if (job.kind === 'agent-turns') return [chatRequest(job.target, chatBody(job.agent, false))]
  const model = modelName({ kind: 'tools', steps: job.steps })
  return Array.from({ length: job.steps + 1 }, (_, done) => {
    const messages = Array.from({ length: done }, (__, step) => stepMessages(step)).flat()
    return chatRequest(job.target, chatBody(model, false, messages))
  })
}

function stepMessages(step: number): object[] {
  return [
    { role: 'assistant', content: null, tool_calls: [callOf(step)] },
    {
      role: 'tool',
      tool_call_id: `call_${step}`,
      content: '2026-01-05T09:30:00+00:00\nMonday, 5 January 2026, 09:30, UTC',
    },
  ]
}

async function answered(connection: ClientConnection, request: Buffer): Promise<string> {
  let answer = ''
  const status = await connection.exchange(request, {
    body(bytes) {
      if (answer.length < answerBytesMax) answer += bytes.toString('latin1')
    },
  })
  if (status !== 200) throw new Error(`answered ${status}: ${answer.slice(0, 400)}`)
  return answer
}
