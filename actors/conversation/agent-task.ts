/** The task of a turn that waited in the queue: who answers it, and from what. */
import { Failure } from '../../runtime/failure.ts'
import type { ConversationId } from '../../store/id.ts'
import type { ClaimedTurn } from '../../store/turns/queue.ts'
import type { ConversationPast } from '../agent/context/past.ts'
import { defaultAgentName } from '../agent/directory/definition.ts'
import type { AgentTask } from '../turn/messages.ts'
import type { ConversationContext } from './state.ts'

/** The agent that was to answer was deleted, or its definition cannot be read. No other answers in its place: it might be allowed more. */
export class AgentMissing extends Failure {
  readonly code = 'agent_missing'
  constructor(agent: string) {
    super(`The agent ${JSON.stringify(agent)} that answers here was deleted or cannot be read.`)
  }
}

/** The agent of its channel answers, or the default one. @throws AgentMissing */
export function agentTask(
  { services }: ConversationContext,
  conversationId: ConversationId,
  turn: ClaimedTurn,
  past: ConversationPast,
): AgentTask {
  const { lease, workspaceId, channelId, origin, hasSteps, messages } = turn
  const agentName = (channelId && services.channels.byId(channelId)?.policy.agent) || defaultAgentName
  const agent = services.agents.find(workspaceId, agentName)
  if (!agent) throw new AgentMissing(agentName)
  return {
    agent: { name: agent.name, version: agent.version, definition: agent.definition },
    workspaceId,
    lease,
    conversationId,
    channelId,
    isWebChat: origin === 'web',
    isResumed: hasSteps,
    approvals: 'pause',
    newMessageCount: messages.length,
    past,
  }
}
