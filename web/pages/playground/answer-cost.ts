/** What an answer cost: the record of its turn says so, a moment after the answer has ended. */
import { call } from '../../api/call.ts'
import type { AnswerItem, Cost } from './conversation.ts'

const triesMax = 5
const everyMs = 700

/** Null: it has no price, or the record did not come. */
export async function costOf({ requestId }: AnswerItem): Promise<Cost | null> {
  for (let tries = 0; tries < triesMax; tries++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    try {
      const { items } = await call('GET /v1/admin/turns', { query: { request_id: requestId, limit: 1 } })
      const [turn] = items
      if (turn && turn.status !== 'running') return turn.cost
    } catch {
      // Tried again; without it the answer is shown without its cost.
    }
  }
  return null
}
