/** What a turn can do for its tools: sub-agents, messages to the user, tools not yet advertised, results in full. */
import { resultOfCall } from '../../../store/turns/steps.ts'
import { type ToolCapabilities, ToolFailed } from '../../../tools/tool.ts'
import type { AgentRun } from '../agent-run.ts'
import type { AgentProfile } from '../directory/definition.ts'
import { sendInterimMessage } from './interim-message.ts'
import type { Toolset } from './toolset.ts'

/** @param at.path of the call: of the loop of a sub-agent that it starts */
export function toolCapabilities(
  run: AgentRun,
  at: { agent: AgentProfile; toolset: Toolset; depth: number; path: string },
): ToolCapabilities {
  const { agent, toolset, depth, path } = at
  return {
    delegate(name, task) {
      const names = agent.definition.sub_agents
      if (!names.includes(name))
        throw new ToolFailed(
          'unknown_agent',
          `There is no agent ${JSON.stringify(name)} to hand this to. There are: ${names.join(', ') || 'none'}.`,
        )
      return run.delegate({ agent: name, task, path, depth: depth + 1, isReading: toolset.isReading })
    },
    messageUser: (text) => sendInterimMessage(run, path, text),
    reveal: (words) => toolset.reveal(words).map(({ name, description }) => ({ name, description })),
    async result(callId) {
      const stored = await resultOfCall(run.services.db, run.workspaceId, run.turnId, callId)
      return (stored as { text?: string } | undefined)?.text
    },
  }
}
