/** An agent as the admin API shows it. */
import { z } from 'zod'
import { AgentDefinition, AgentName } from '../../../actors/agent/directory/definition.ts'
import type { StoredAgent } from '../../../store/agents.ts'
import { AgentId } from '../../../store/id.ts'

/** A PostgreSQL integer. */
export const Version = z.int().min(1).max(2_147_483_647)

/** For lists, without the definition, which may be long. */
export const AgentSummary = z.object({
  id: AgentId,
  name: AgentName,
  model: z.string().describe('Empty: the model of the settings.'),
  version: Version,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  updated_by: z.string().describe('The login of an operator, the id of a key, or the kind of another caller.'),
  deleted_at: z.iso.datetime().nullable(),
})

export const AgentView = AgentSummary.omit({ model: true }).extend({ definition: AgentDefinition })

function headOf(agent: StoredAgent) {
  return {
    id: agent.id,
    name: agent.name,
    version: agent.version,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    updated_by: agent.updatedBy,
    deleted_at: agent.deletedAt?.toISOString() ?? null,
  }
}

export function summaryOf(agent: StoredAgent): z.infer<typeof AgentSummary> {
  const model = agent.definition['model']
  return { ...headOf(agent), model: typeof model === 'string' ? model : '' }
}

export function viewOf(agent: StoredAgent): z.infer<typeof AgentView> {
  // Unchecked, because another version of the service may have written it.
  return { ...headOf(agent), definition: agent.definition as AgentDefinition }
}
