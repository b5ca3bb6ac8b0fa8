/** Where a turn comes from, and whether turns from there wait in the queue. */
import { z } from 'zod'
import { sql } from '../postgres/sql.ts'

/** call: the chat API. responses: the Responses API, where the answer is stored. Neither waits in the queue: it runs at once. eval, shadow: tries of an agent that nobody waits for. */
export const TurnOrigin = z.enum(['call', 'responses', 'channel', 'web', 'admin', 'eval', 'shadow'])
export type TurnOrigin = z.infer<typeof TurnOrigin>

export const isUnqueued = sql`origin in ('call', 'responses')`
export const isQueued = sql`origin not in ('call', 'responses')`

/** Usage of the others is apart: tries of an agent say nothing of what people use. */
export const originsInView = TurnOrigin.options.filter((origin) => origin !== 'eval' && origin !== 'shadow')
