/** What a turn is asked and what it answers: plain data. */
import type { EndpointErrorName } from '../../models/errors.ts'
import type { ChatMessage, EndpointAttempt, ModelChoice, ModelDelta, Usage } from '../../models/transport.ts'
import type { FailureCode } from '../../runtime/failure.ts'
import type { StoredSummary } from '../../store/conversations/summaries.ts'
import type { ChannelId, ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { ConversationPast } from '../agent/context/past.ts'
import type { AgentProfile } from '../agent/directory/definition.ts'
import type { UsedCalls } from '../agent/usage-ledger.ts'

/** An item of the stream of a turn's id while the turn runs. */
export type TurnDelta =
  | ModelDelta
  /** What the agent does now, for whoever waits; no part of the answer. */
  | { kind: 'progress'; words: string }
  /** The turn of a response is stored: it can be found and cancelled from here on. */
  | { kind: 'accepted' }

export interface ResponsesOptions {
  /** Sent only to an endpoint of that style. */
  parameters: Record<string, unknown>
  keepsReasoning: boolean
}

export interface TurnRequest {
  turnId: TurnId
  model: string
  messages: ChatMessage[]
  /** Everything else of the client's request, carried to the model as it came. */
  parameters: Record<string, unknown>
  /** True: deltas go to the stream of the turn's id while they come. */
  isStream: boolean
  /** Of a call of the responses API, for the model that answers by itself. */
  responses?: ResponsesOptions | undefined
  /** A stored conversation, whose watchers are sent the answer as it comes; null: nobody can watch. */
  live: { conversation: ConversationId; startedXid: string } | null
  /** Null: the model answers by itself, and what the client sent goes to it as it came. */
  task: AgentTask | null
}

/** What the turn of an agent needs besides. */
export interface AgentTask {
  agent: AgentProfile
  workspaceId: WorkspaceId
  /** Of the conversation's slot; null: it belongs to no stored conversation. */
  lease: number | null
  conversationId: ConversationId | null
  channelId: ChannelId | null
  isWebChat: boolean
  /** True: an earlier attempt has stored steps. */
  isResumed: boolean
  /** wait: the caller waits for the answer. pause: nobody does, and the turn can be paused. */
  approvals: 'wait' | 'pause'
  /** How many of the messages, the last ones, the turn answers. */
  newMessageCount: number
  /** The conversation before these; null: they belong to no stored conversation. */
  past: ConversationPast | null
}

interface Measured {
  model: string
  usage: Usage
  isUsageEstimated: boolean
  timeToFirstTokenMs: number | null
  durationMs: number
  /** Where there are several model endpoints: those that its calls asked, in order. */
  endpoints?: readonly EndpointAttempt[] | undefined
  /** What its calls used, sub-agents’ too. */
  used?: readonly UsedCalls[] | undefined
  /** True: the turn has written into the conversation before its answer. */
  hasInterimMessage?: boolean
  /** The turn has stored this one: the messages that it covers need not be told to a model any more. */
  summary?: StoredSummary
  /** The store did not take a summary of what the turn was told: the conversation has changed there. */
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
  /** It waits for an operator. Only a turn that may be paused. */
  | (Measured & { status: 'waiting' })
  | (Measured & { status: 'failed' | 'cancelled' | 'interrupted'; error: TurnError })

type WithoutTimes<Outcome> = Outcome extends TurnOutcome ? Omit<Outcome, 'durationMs' | 'timeToFirstTokenMs'> : never

/** The outcome of an agent's work, before it is timed. */
export type AgentOutcome = WithoutTimes<TurnOutcome>

/** The outcome of a turn whose caller waits for it. */
export type EndedTurn = Exclude<TurnOutcome, { status: 'waiting' }>

export interface TurnError {
  code: FailureCode
  /** The HTTP status that says this to a client. */
  status: number
  message: string
  /** What the model's endpoint itself called it: clients are written for its names. */
  named?: EndpointErrorName | undefined
  /** The field of the request that the endpoint blames. */
  param?: string | undefined
  retryAfterMs?: number | undefined
  /** As the error's type said it: the same turn may succeed later. */
  isOutage?: boolean
}
