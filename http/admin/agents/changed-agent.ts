/** The answer to a change of an agent: the agent, and warnings. */
import { z } from 'zod'
import type { AgentDefinition } from '../../../actors/agent/directory/definition.ts'
import type { AgentDirectory } from '../../../actors/agent/directory/directory.ts'
import { notifyAgentsChanged, type StoredAgent } from '../../../store/agents.ts'
import type { WorkspaceId } from '../../../store/id.ts'
import type { App } from '../../app.ts'
import { badRequest } from '../../error.ts'
import { AgentView, viewOf } from './view.ts'

export const ChangedAgent = AgentView.extend({
  warnings: z
    .array(z.string())
    .describe('Probable mistakes that are allowed, such as a sub-agent that does not exist.'),
})

/** @throws ApiError 400 for an agent that is its own sub-agent */
export function checkSubAgents(name: string, { sub_agents }: AgentDefinition): void {
  if (sub_agents.includes(name)) throw badRequest('An agent cannot be its own sub-agent.', 'definition.sub_agents')
}

/** Notifies other processes, and refreshes this one before it answers, so that a new agent can be used at once. */
export async function broadcastAgents({ db, services }: App): Promise<void> {
  await notifyAgentsChanged(db)
  await services.agents.refresh()
}

export async function changedAgent(
  app: App,
  workspaceId: WorkspaceId,
  agent: StoredAgent,
): Promise<z.infer<typeof ChangedAgent>> {
  await broadcastAgents(app)
  const view = viewOf(agent)
  return { ...view, warnings: warningsOf(app.services.agents, workspaceId, view.definition) }
}

function warningsOf(agents: AgentDirectory, workspaceId: WorkspaceId, { sub_agents }: AgentDefinition): string[] {
  return sub_agents
    .filter((name) => !agents.find(workspaceId, name))
    .map((name) => `sub_agents: there is no agent ${name}.`)
}
