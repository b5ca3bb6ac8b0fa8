/** Creating, changing and deleting agents. */
import { z } from 'zod'
import { AgentDefinition, AgentName } from '../../../actors/agent/directory/definition.ts'
import { createAgent, deleteAgent, readAgent, updateAgent } from '../../../store/agents.ts'
import { AgentId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastAgents, ChangedAgent, changedAgent, checkSubAgents } from './changed-agent.ts'
import { agentRefusal } from './refusal.ts'
import { Version } from './view.ts'

export const createAgentRoute = route({
  method: 'POST',
  path: '/v1/admin/agents',
  summary: 'Create an agent',
  tag: 'agents',
  access: admin('agents.write'),
  body: z.strictObject({ name: AgentName, definition: AgentDefinition }),
  answers: { 201: ChangedAgent },
  async handle(call) {
    const { app, body, principal } = call
    checkSubAgents(body.name, body.definition)
    const made = await createAgent(app.db, auditActor(call), body)
    if (typeof made === 'string') throw agentRefusal(made)
    return reply(201, await changedAgent(app, principal.workspaceId, made))
  },
})

export const updateAgentRoute = route({
  method: 'POST',
  path: '/v1/admin/agents/update',
  summary: 'Change an agent',
  description: 'The new definition replaces the whole previous one, which remains as a version.',
  tag: 'agents',
  access: admin('agents.write'),
  body: z.strictObject({
    agent_id: AgentId,
    version: Version.describe('The version that was read; 409 version_conflict when there is a newer one.'),
    name: AgentName.optional().describe('Left out: unchanged.'),
    definition: AgentDefinition,
  }),
  answers: { 200: ChangedAgent },
  async handle(call) {
    const { app, body, principal } = call
    const { agent_id: id, ...change } = body
    const name = change.name ?? (await readAgent(app.db, principal.workspaceId, id))?.name
    // If the name has changed since, so has the version, and the update is refused below.
    if (name !== undefined) checkSubAgents(name, change.definition)
    const changed = await updateAgent(app.db, auditActor(call), id, { ...change, name: change.name })
    if (typeof changed === 'string') throw agentRefusal(changed)
    return await changedAgent(app, principal.workspaceId, changed)
  },
})

export const deleteAgentRoute = route({
  method: 'POST',
  path: '/v1/admin/agents/delete',
  summary: 'Delete an agent',
  description: 'Its versions remain, and any of them can be restored.',
  tag: 'agents',
  access: admin('agents.write'),
  body: z.strictObject({ agent_id: AgentId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    const isDeleted = await deleteAgent(app.db, auditActor(call), body.agent_id)
    // Also when nothing changed: an earlier attempt may have deleted it and failed before the broadcast.
    await broadcastAgents(app)
    if (!isDeleted) throw agentRefusal('unknown')
    return { ok: true }
  },
})
