/** The tools of an agent, by what the settings say now. */
import type { Services } from '../../services.ts'
import type { AgentProfile } from './agent-run.ts'
import { type Toolset, toolsetOf } from './toolset.ts'

/** @param depth of the agent in sub-agents; 0: the turn itself */
export function toolsOf({ settings, tools }: Services, agent: AgentProfile, depth: number): Toolset {
  return toolsetOf(tools.all(), agent.definition, {
    approvalTools: settings.get('SERVICE_APPROVAL_TOOLS'),
    isSearchOn: settings.get('SERVICE_TOOL_SEARCH'),
    searchCore: settings.get('SERVICE_TOOL_SEARCH_CORE'),
    searchThreshold: settings.get('SERVICE_TOOL_SEARCH_THRESHOLD'),
    mayDelegate: depth < settings.get('SERVICE_SUBAGENT_MAX_DEPTH'),
  })
}
