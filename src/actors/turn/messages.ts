/** What a turn is asked and what it answers: plain data. */
import type { ChatMessage, ModelChoice, Usage } from '../../models/transport.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'

export interface Run {
  turnId: TurnId
  model: string
  messages: ChatMessage[]
  /** Everything else of the client's request, carried to the model as it came. */
  parameters: Record<string, unknown>
  /** True: deltas go to the stream of the turn's id while they come. */
  isStream: boolean
  /** A stored conversation, whose watchers hear the answer as it comes; null: nobody can watch. */
  live: { conversation: ConversationId; startedXid: string } | null
}

interface Measured {
  model: string
  usage: Usage
  isUsageEstimated: boolean
  timeToFirstTokenMs: number | null
  durationMs: number
}

/** How a turn ended. Only `completed` carries an answer; what was spent is known in every case. */
export type TurnOutcome =
  | (Measured & {
      status: 'completed'
      finishReason: string | null
      /** The answer's choices as the API gives them; of a streamed turn put together from its deltas. */
      choices: ModelChoice[]
      /** Further fields of the model's answer that a client may want (system_fingerprint, service_tier). */
      extra: Record<string, unknown>
    })
  | (Measured & { status: 'failed' | 'cancelled' | 'interrupted'; error: TurnError })

export interface TurnError {
  code: string
  /** The HTTP status that says this to a client. */
  status: number
  message: string
  /** The field of the request that the endpoint blames. */
  param?: string | undefined
  retryAfterMs?: number | undefined
}
