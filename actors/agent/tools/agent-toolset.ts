/** The toolset of an agent, by the settings as they are now. */
import type { WorkspaceId } from '../../../store/id.ts'
import type { Services } from '../../services.ts'
import type { AgentProfile } from '../directory/definition.ts'
import { grantedTools } from './granted-tools.ts'
import { createToolset, type Toolset } from './toolset.ts'

/** @param workspaceId of the turn @param depth of the agent in sub-agents; 0: the turn itself @param isReading without tools that change something */
export function agentToolset(
  services: Services,
  agent: AgentProfile,
  { workspaceId, depth, isReading }: { workspaceId: WorkspaceId; depth: number; isReading: boolean },
): Toolset {
  const { settings } = services
  return createToolset(grantedTools(services, workspaceId), agent.definition, {
    approvalTools: settings.get('SERVICE_APPROVAL_TOOLS'),
    isSearchOn: settings.get('SERVICE_TOOL_SEARCH'),
    searchCore: settings.get('SERVICE_TOOL_SEARCH_CORE'),
    searchThreshold: settings.get('SERVICE_TOOL_SEARCH_THRESHOLD'),
    isReading,
    mayDelegate: depth < settings.get('SERVICE_SUBAGENT_MAX_DEPTH'),
  })
}
