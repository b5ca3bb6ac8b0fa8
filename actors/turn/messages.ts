/** What a turn is asked and what it answers: plain data. */
import type { ChatMessage, ModelChoice, ModelDelta, Usage } from '../../models/transport.ts'
import type { FailureCode } from '../../runtime/failure.ts'
import type { StoredSummary } from '../../store/conversations/summaries.ts'
import type { ChannelId, ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { ConversationPast } from '../agent/context/past.ts'
import type { AgentProfile } from '../agent/directory/definition.ts'

/** What goes to the stream of a turn's id while the turn runs. */
export type TurnDelta =
  | ModelDelta
  /** What the agent does, in words for whoever waits; no part of the answer. */
  | { kind: 'progress'; words: string }

export interface TurnRequest {
  turnId: TurnId
  model: string
  messages: ChatMessage[]
  /** Everything else of the client's request, carried to the model as it came. */
  parameters: Record<string, unknown>
  /** True: deltas go to the stream of the turn's id while they come. */
  isStream: boolean
  /** A stored conversation, whose watchers hear the answer as it comes; null: nobody can watch. */
  live: { conversation: ConversationId; startedXid: string } | null
  /** Null: the model answers by itself, and what the client sent goes to it as it came. */
  task: AgentTask | null
}

/** What an agent's turn is told besides. */
export interface AgentTask {
  agent: AgentProfile
  workspaceId: WorkspaceId
  conversationId: ConversationId | null
  channelId: ChannelId | null
  isWebChat: boolean
  /** True: an earlier try has done something already. */
  isResumed: boolean
  /** wait: whoever asked waits for the answer. pause: nobody does, and the turn can be put aside. */
  approvals: 'wait' | 'pause'
  /** How many of the messages, the last ones, the turn answers. */
  newMessageCount: number
  /** What was said before these; null: they belong to no stored conversation. */
  past: ConversationPast | null
}

interface Measured {
  model: string
  usage: Usage
  isUsageEstimated: boolean
  timeToFirstTokenMs: number | null
  durationMs: number
  /** True: the turn has written into the conversation before its answer. */
  hasInterimMessage?: boolean
  /** The turn has stored this one: what it tells of need not be told any more. */
  summary?: StoredSummary
  /** The store did not take a summary of what the turn was told: something has changed there. */
  isPastStale?: boolean
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
  /** It waits for an operator's word. Only of a turn that may be put aside. */
  | (Measured & { status: 'waiting' })
  | (Measured & { status: 'failed' | 'cancelled' | 'interrupted'; error: TurnError })

type WithoutTimes<Outcome> = Outcome extends TurnOutcome ? Omit<Outcome, 'durationMs' | 'timeToFirstTokenMs'> : never

/** What an agent's work comes to, before it is timed. */
export type AgentOutcome = WithoutTimes<TurnOutcome>

/** What a turn whose caller waits for it comes to. */
export type EndedTurn = Exclude<TurnOutcome, { status: 'waiting' }>

export interface TurnError {
  code: FailureCode
  /** The HTTP status that says this to a client. */
  status: number
  message: string
  /** The field of the request that the endpoint blames. */
  param?: string | undefined
  retryAfterMs?: number | undefined
  /** As the error's type said it: the same turn may succeed later. */
  isOutage?: boolean
}
