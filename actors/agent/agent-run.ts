/** What all parts of one agent's work share: its turn, its place in the store, what it may still spend, who follows it. */
import type { EndpointAttempt, ModelDelta, ModelTransport } from '../../models/transport.ts'
import { Failure } from '../../runtime/failure.ts'
import type { TraceContext, Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { ChannelId, ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { Step } from '../../store/turns/steps.ts'
import type { Services } from '../services.ts'
import type { Budget } from './budget/budget.ts'
import type { Journal } from './journal/journal.ts'
import type { UsedCalls } from './usage-ledger.ts'

/** The turn that is worked on: plain data, the same for its agent and for all sub-agents. */
export interface TurnFacts {
  readonly turnId: TurnId
  /** Of its conversation's slot, under which the turn runs here; null: a call that belongs to no stored conversation. */
  readonly lease: number | null
  readonly workspaceId: WorkspaceId
  /** Null: a call that belongs to no stored conversation. */
  readonly conversationId: ConversationId | null
  /** Null: the conversation belongs to no channel. */
  readonly channelId: ChannelId | null
  /** A person writes in a web chat. */
  readonly isWebChat: boolean
  /** wait: the caller waits for an operator's decision, and so does the turn. pause: the turn ends its run and goes on later. */
  readonly approvals: 'wait' | 'pause'
  readonly model: string
  /** The router's choice for this turn; an agent's own model goes before it. */
  readonly routedModel: string | undefined
  /** Everything of the client's request but its messages and tools. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What the turn has to know while its agents work, whichever of them it is. */
export type RunReport =
  /** For whoever watches: what goes on. */
  | { kind: 'progress'; words: string }
  | { kind: 'model_answered'; model: string }
  /** A call was paid for, whether or not it gave an answer. */
  | { kind: 'used'; calls: UsedCalls }
  | { kind: 'endpoints_asked'; attempts: readonly EndpointAttempt[] }
  /** A tool has written into the conversation: what is cached of its history no longer holds. */
  | { kind: 'interim_message_sent' }

/** Where the text of an answer goes as it comes. */
export interface AnswerSink {
  /** False: the reader is slow. */
  delta(delta: ModelDelta): boolean
  /** The reader has room again. */
  onRoom(resume: () => void): void
}

export interface DelegateRequest {
  agent: string
  task: string
  /** Of the new loop. */
  path: string
  depth: number
  /** True: it gets no tools that change something. */
  isReading: boolean
}

export interface AgentRun extends TurnFacts {
  readonly services: Services
  readonly clock: Clock
  readonly tracer: Tracer
  readonly trace: TraceContext | undefined
  readonly transport: ModelTransport
  readonly journal: Journal
  /** What earlier attempts have done in this loop and below it; empty: this is the first. */
  readonly earlier: readonly Step[]
  readonly budget: Budget
  /** Aborts when the turn is cancelled, its time is over, or the service stops. */
  readonly signal: AbortSignal
  report(report: RunReport): void
  progress(words: string): void
  /** Runs a sub-agent as a child of the actor that runs this. @returns its answer. @throws ToolFailed, TurnPaused, JournalMismatch */
  delegate(request: DelegateRequest): Promise<string>
  /** Resolves when every sub-agent has ended, and has written what it did. */
  subagentsEnded(): Promise<void>
}

/** The turn waits for an operator: it ends its run here and is resumed after the decision. */
export class TurnPaused extends Failure {
  readonly code = 'turn_paused'
  constructor() {
    super('the turn waits for an operator')
  }
}
