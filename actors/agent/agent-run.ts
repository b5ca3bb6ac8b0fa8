/** What all parts of one agent's turn share: its place in the store, what it may still spend, and who hears of it. */
import type { ModelDelta, ModelTransport } from '../../models/transport.ts'
import type { TraceContext, Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { StoredSummary } from '../../store/conversations/summaries.ts'
import type { ChannelId, ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { Step } from '../../store/turns/steps.ts'
import type { Services } from '../services.ts'
import type { Budget } from './budget/budget.ts'
import type { AgentDefinition } from './directory/definition.ts'
import type { Journal } from './journal/journal.ts'

/** The agent of a turn: plain data. */
export interface AgentProfile {
  name: string
  definition: AgentDefinition
}

/** Where the text of an answer goes as it comes. False: the reader is slow. */
export interface AnswerSink {
  delta(delta: ModelDelta): boolean
  /** The reader has room again. */
  onRoom(resume: () => void): void
}

export interface AgentRun {
  readonly turnId: TurnId
  readonly workspaceId: WorkspaceId
  /** Null: a call that belongs to no stored conversation. */
  readonly conversationId: ConversationId | null
  /** Null: the conversation belongs to no channel. */
  readonly channelId: ChannelId | null
  /** A person writes in a web chat. */
  readonly isWebChat: boolean
  readonly services: Services
  readonly clock: Clock
  readonly tracer: Tracer
  readonly trace: TraceContext | undefined
  readonly transport: ModelTransport
  /** Everything of the client's request but its messages and tools. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly model: string
  /** What the router says of this turn; an agent's own model goes before it. */
  readonly routedModel: string | undefined
  readonly journal: Journal
  /** What earlier tries of the turn have done; empty: this is the first. */
  readonly earlier: readonly Step[]
  readonly budget: Budget
  /** Aborts when the turn is cancelled, its time is over, or the service stops. */
  readonly signal: AbortSignal
  /** wait: an operator's word is waited for here, because the caller does too. pause: the turn is put aside until it comes. */
  readonly approvals: 'wait' | 'pause'
  /** Strategies and sub-agents tell whoever watches what goes on. */
  progress(words: string): void
  /** Runs a sub-agent as a child of the actor that runs this. @returns its answer. @throws ToolFailed, TurnPaused */
  delegate(order: DelegateRequest): Promise<string>
  /** What is known at the end of the turn, whoever found it out. */
  readonly notes: RunNotes
}

export interface RunNotes {
  /** A tool has written into the conversation: what is remembered of it no longer holds. */
  hasInterimMessage: boolean
  /** One that the turn has stored. */
  summary?: StoredSummary
  /** The store did not take a summary: what is remembered of the past is not what is there. */
  isPastStale?: boolean
  /** The model that answered last. */
  answeredBy: string
}

export interface DelegateRequest {
  agent: string
  task: string
  /** Of the new loop. */
  path: string
  depth: number
  /** True: it gets no tools that change something. */
  isReading: boolean
  signal: AbortSignal
}

/** An operator's word is waited for elsewhere: the turn ends its run here, and is taken up again when it comes. */
export class TurnPaused extends Error {
  override readonly name = 'TurnPaused'
  constructor() {
    super('the turn waits for an operator')
  }
}
