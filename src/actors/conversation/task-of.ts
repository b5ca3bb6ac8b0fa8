/** What an agent's turn is told of where it stands. */
import type { ConversationId } from '../../store/id.ts'
import type { ClaimedTurn } from '../../store/queue.ts'
import { defaultAgent, defaultAgentName } from '../agents/definition.ts'
import type { KnownPast } from '../context/past.ts'
import type { AgentTask } from '../turn/messages.ts'
import type { Post } from './messages.ts'
import type { ConversationContext } from './state.ts'

/** Of a call: whoever makes it waits for the answer. Null: it names a model, which answers by itself. */
export function taskOf(
  post: Post,
  stored: { conversation: ConversationId; saidCount: number; past: KnownPast } | null,
): AgentTask | null {
  const { agent, workspaceId } = post
  if (!agent) return null
  return {
    ...{ agent, workspaceId, conversationId: stored?.conversation ?? null, channelId: null },
    ...{ isWebChat: false, isBegun: false, approvals: 'wait' },
    ...{ saidCount: stored?.saidCount ?? 0, past: stored?.past ?? null },
  }
}

/** Of a turn that waited in the queue: the agent of its channel, or the default one. */
export function queuedTask(
  { services }: ConversationContext,
  conversationId: ConversationId,
  turn: ClaimedTurn,
  past: KnownPast,
): AgentTask {
  const { workspaceId, channelId, origin, isBegun, said } = turn
  const wanted = (channelId && services.channels.byId(channelId)?.policy.agent) || defaultAgentName
  const agent = services.agents.byName(workspaceId, wanted) ?? services.agents.byName(workspaceId, defaultAgentName)
  return {
    agent: { name: agent?.name ?? defaultAgentName, definition: agent?.definition ?? defaultAgent },
    ...{ workspaceId, conversationId, channelId, isWebChat: origin === 'web', isBegun },
    ...{ approvals: 'pause', saidCount: said.length, past },
  }
}
