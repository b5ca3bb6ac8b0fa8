/** What a turn lends to its tools: sub-agents, the outbox, tools not yet advertised, results in full. */
import { resultOfCall } from '../../../store/turns/steps.ts'
import { type ToolCapabilities, ToolFailed } from '../../../tools/tool.ts'
import type { AgentProfile, AgentRun } from '../agent-run.ts'
import { sendInterimMessage } from './interim-message.ts'
import type { Toolset } from './toolset.ts'

export function toolCapabilities(
  run: AgentRun,
  at: { agent: AgentProfile; toolset: Toolset; depth: number; path: string },
): ToolCapabilities {
  const { agent, toolset, depth, path } = at
  return {
    delegate(name, task) {
      if (!agent.definition.sub_agents.includes(name))
        throw new ToolFailed(
          'unknown_agent',
          `There is no agent ${JSON.stringify(name)} to hand this to. There are: ${agent.definition.sub_agents.join(', ') || 'none'}.`,
        )
      return run.delegate({
        ...{ agent: name, task, path, depth: depth + 1 },
        isReading: toolset.isReading,
        signal: run.signal,
      })
    },
    messageUser: (text) => sendInterimMessage(run, path, text),
    reveal: (words) => toolset.reveal(words).map(({ name, description }) => ({ name, description })),
    async result(callId) {
      const kept = await resultOfCall(run.services.db, run.workspaceId, run.turnId, callId)
      return (kept as { text?: string } | undefined)?.text
    },
  }
}
