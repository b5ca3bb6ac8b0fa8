/** A turn whose caller waits for its answer: what a call and a conversation are asked, as plain data. */
import type { ChatMessage } from '../../models/transport.ts'
import type { ApiKeyId, ConversationId, OperatorId, TurnId, WorkspaceId } from '../../store/id.ts'
import type { TurnOrigin } from '../../store/turns/origin.ts'
import type { TurnStart } from '../../store/turns/turns.ts'
import type { ConversationPast } from '../agent/context/past.ts'
import type { AgentProfile } from '../agent/directory/definition.ts'
import type { Payer } from '../usage/budget-keeper.ts'
import type { TokenHold } from '../usage/token-rates.ts'
import type { AgentTask, ResponsesOptions, TurnOutcome } from './messages.ts'

export interface PostedTurn {
  /** Made by the caller, who subscribes to the stream of this id before posting. */
  turnId: TurnId
  workspaceId: WorkspaceId
  apiKeyId: ApiKeyId | null
  /** Whose session or key it is; absent: nobody's. */
  operatorId?: OperatorId | null | undefined
  requestId: string
  model: string
  /** The whole conversation of a call; of a stored conversation only what is new. */
  messages: ChatMessage[]
  parameters: Record<string, unknown>
  isStream: boolean
  /** Null: the model answers by itself. */
  agent: AgentProfile | null
  /** A call of the responses API. */
  responses?: ResponsesOptions | undefined
  /** On the limits of tokens of its key; absent: it has none. */
  tokenHold?: TokenHold | undefined
}

export type CompletedTurn = TurnOutcome & { status: 'completed' }

/** The turn's row in the store. */
export function turnStart(post: PostedTurn, conversationId: ConversationId | null, startedAt: Date): TurnStart {
  return {
    id: post.turnId,
    workspaceId: post.workspaceId,
    conversationId,
    apiKeyId: post.apiKeyId,
    requestId: post.requestId,
    model: post.model,
    isStream: post.isStream,
    startedAt,
    agent: post.agent?.name ?? null,
    agentVersion: post.agent?.version,
    operatorId: post.operatorId,
  }
}

/** On whose budgets it counts. */
export function payerOf(post: PostedTurn, origin: TurnOrigin): Payer {
  const { workspaceId, apiKeyId, operatorId, agent } = post
  return { workspaceId, apiKeyId, operatorId, agent: agent?.name ?? null, origin }
}

/** Null: the post names a model, which answers by itself. */
export function postedTask(
  { agent, workspaceId }: PostedTurn,
  stored: { conversation: ConversationId; lease: number; newMessageCount: number; past: ConversationPast } | null,
): AgentTask | null {
  if (!agent) return null
  return {
    agent,
    workspaceId,
    lease: stored?.lease ?? null,
    conversationId: stored?.conversation ?? null,
    channelId: null,
    isWebChat: false,
    isResumed: false,
    approvals: 'wait',
    newMessageCount: stored?.newMessageCount ?? 0,
    past: stored?.past ?? null,
  }
}
