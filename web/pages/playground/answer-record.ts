/** What the record of an answer's turn says: its cost and the model that answered; and whether that is what was chosen. */
import { call } from '../../api/call.ts'
import type { AnswerItem, Cost } from './conversation.ts'

const triesMax = 5
const everyMs = 700

/** The record comes a moment after the answer has ended. Null: it did not. */
export async function recordOf({ requestId }: AnswerItem): Promise<{ cost: Cost | null; answeredBy: string } | null> {
  for (let tries = 0; tries < triesMax; tries++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    try {
      const { items } = await call('GET /v1/admin/turns', { query: { request_id: requestId, limit: 1 } })
      const [turn] = items
      if (turn && turn.status !== 'running') return { cost: turn.cost, answeredBy: turn.model }
    } catch {
      // Tried again; without it the answer is shown without its cost.
    }
  }
  return null
}

/**
 * The chosen model, or the one of the chosen agent, if no endpoint has it: then the service has asked its own.
 * @returns null: it was asked, or that cannot be told
 */
export async function missingModel(chosen: string, mayReadAgents: boolean): Promise<string | null> {
  try {
    const { data } = await call('GET /v1/models', {})
    // Where the first endpoint has no model of its own, it gets any name.
    if (!data.some(({ owned_by }) => owned_by === 'service')) return null
    const isAgent = data.some(({ id, owned_by }) => id === chosen && owned_by === 'agent')
    const model = isAgent ? (mayReadAgents ? await modelOfAgent(chosen) : '') : chosen
    return model === '' || data.some(({ id, owned_by }) => id === model && owned_by !== 'agent') ? null : model
  } catch {
    return null // the answer still names who answered
  }
}

const agentPagesMax = 20

/** Empty: the one of the service, or not found among the first 2,000. */
async function modelOfAgent(name: string): Promise<string> {
  let cursor: string | undefined
  for (let pages = 0; pages < agentPagesMax; pages++) {
    const query = { q: name, limit: 100, ...(cursor !== undefined && { cursor }) }
    const { items, next_cursor: next } = await call('GET /v1/admin/agents', { query })
    const agent = items.find((one) => one.name === name)
    if (agent || next === null) return agent?.model ?? ''
    cursor = next
  }
  return ''
}
