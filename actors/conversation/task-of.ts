/** What an agent's turn is told of where it stands. */
import type { ConversationId } from '../../store/id.ts'
import type { ClaimedTurn } from '../../store/turns/queue.ts'
import type { ConversationPast } from '../agent/context/past.ts'
import { defaultAgentName } from '../agent/directory/definition.ts'
import type { AgentTask } from '../turn/messages.ts'
import type { Post } from './messages.ts'
import type { ConversationContext } from './state.ts'

/** Of a call: whoever makes it waits for the answer. Null: it names a model, which answers by itself. */
export function taskOf(
  post: Post,
  stored: { conversation: ConversationId; saidCount: number; past: ConversationPast } | null,
): AgentTask | null {
  const { agent, workspaceId } = post
  if (!agent) return null
  return {
    ...{ agent, workspaceId, conversationId: stored?.conversation ?? null, channelId: null },
    ...{ isWebChat: false, isResumed: false, approvals: 'wait' },
    ...{ newMessageCount: stored?.saidCount ?? 0, past: stored?.past ?? null },
  }
}

/** Who was to answer is not there: deleted, or its definition cannot be read. Nobody else answers in its place, who might be allowed more. */
export class AgentMissing extends Error {
  override readonly name = 'AgentMissing'
  readonly code = 'agent_missing'
  constructor(agent: string) {
    super(`The agent ${JSON.stringify(agent)} that answers here was deleted or cannot be read.`)
  }
}

/** Of a turn that waited in the queue: the agent of its channel, or the default one. @throws AgentMissing */
export function queuedTask(
  { services }: ConversationContext,
  conversationId: ConversationId,
  turn: ClaimedTurn,
  past: ConversationPast,
): AgentTask {
  const { workspaceId, channelId, origin, hasSteps: isBegun, messages: said } = turn
  const wanted = (channelId && services.channels.byId(channelId)?.policy.agent) || defaultAgentName
  const agent = services.agents.byName(workspaceId, wanted)
  if (!agent) throw new AgentMissing(wanted)
  return {
    agent: { name: agent.name, definition: agent.definition },
    ...{ workspaceId, conversationId, channelId, isWebChat: origin === 'web', isResumed: isBegun },
    ...{ approvals: 'pause', newMessageCount: said.length, past },
  }
}
