/** Who answers a call: the agent of that name, or the model. */
import type { AgentProfile } from '../../actors/agent/directory/definition.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'

/** Null: no agent has this name, so it names a model. */
export function findAgent(call: { app: App; principal: Principal }, name: string): AgentProfile | null {
  const agent = call.app.services.agents.find(call.principal.workspaceId, name)
  return agent ? { name: agent.name, version: agent.version, definition: agent.definition } : null
}
