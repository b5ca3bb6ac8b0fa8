/** What the application hands to its actors. */
import type { Settings } from '../config/settings.ts'
import type { Guard } from '../guard/guard.ts'
import type { streamGuard } from '../guard/stream-guard.ts'
import type { ModelTransport } from '../models/transport.ts'
import { actorDefiner } from '../runtime/actor/define.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Outgoing } from '../runtime/network/outgoing.ts'
import type { Leases } from '../runtime/nodes/leases.ts'
import type { ConversationWriter } from '../store/conversations/conversations.ts'
import type { Database } from '../store/database.ts'
import type { AttemptWriter } from '../store/deliveries/deliveries.ts'
import type { IntakeWriter } from '../store/intake.ts'
import type { ClaimWriter } from '../store/turns/queue.ts'
import type { StepWriter, stepsOf } from '../store/turns/steps.ts'
import type { TurnWriter } from '../store/turns/turns.ts'
import type { Toolbox } from '../tools/registry.ts'
import type { MessageTokens } from './agent/context/message-tokens.ts'
import type { AgentDirectory } from './agent/directory/directory.ts'
import type { ClientToolCallCache } from './agent/tools/client-tool-calls.ts'
import type { ApprovalDesk } from './approvals/desk.ts'
import type { Channels } from './channel/channels.ts'
import type { IntakeCounters } from './channel/intake-counts.ts'
import type { Webhooks } from './channel/webhooks.ts'
import type { Histories } from './conversation/histories.ts'
import type { LiveTurns } from './feed/live-turns.ts'
import type { FeedTail } from './feed/tail.ts'
import type { MaintenanceName, MaintenanceTask } from './maintenance/task.ts'
import type { TurnQueue } from './queue/turn-queue.ts'
import type { NoticeSender } from './subscription/notices.ts'
import type { RunningTurns } from './turn/running.ts'
import type { BudgetKeeper } from './usage/budget-keeper.ts'
import type { PriceBook } from './usage/price-book.ts'
import type { TokenRates } from './usage/token-rates.ts'

export interface Services {
  settings: Settings
  log: Log
  db: Database
  turns: TurnWriter
  conversations: ConversationWriter
  intake: IntakeWriter
  claims: ClaimWriter
  attempts: AttemptWriter
  steps: StepWriter
  stepsOf: typeof stepsOf
  /** What is this node's; by its number and its leases the database tells what it writes from what others write. */
  leases: Leases
  agents: AgentDirectory
  channels: Channels
  webhooks: Webhooks
  /** Sends events to where subscriptions say. */
  notices: NoticeSender
  /** Judges where channels connect to. */
  outgoing: Outgoing
  queue: TurnQueue
  liveTurns: LiveTurns
  feed: FeedTail
  histories: Histories
  running: RunningTurns
  tools: Toolbox
  prices: PriceBook
  budgets: BudgetKeeper
  tokenRates: TokenRates
  approvals: ApprovalDesk
  /** What the maintenance actors run, by name. */
  maintenance: Map<MaintenanceName, MaintenanceTask>
  /** What became of each channel's messages since the start. */
  intakeCounts: IntakeCounters
  /** What turns did before they handed calls to their clients. */
  clientToolCalls: ClientToolCallCache
  /** Lets others go first after a commit that many turns waited for. */
  yieldToLoop(): Promise<void>
  tokens: MessageTokens
  /** Undefined: SERVICE_MODERATION is off. */
  guard: Guard | undefined
  streamGuard: typeof streamGuard
  /** Stands in every system prompt of this start, and nowhere else. */
  canary: string
  /** The transport that answers now: the configured endpoint, or the demonstration model. */
  model(): ModelTransport
}

export const defineActor = actorDefiner<Services>()

/** What a test may put a failing part in place of. */
export type ReplaceableServices = Pick<Services, 'guard' | 'streamGuard' | 'stepsOf'>
