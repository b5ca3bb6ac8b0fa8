/** The versions of an agent, and restoring one of them. */
import { z } from 'zod'
import { AgentDefinition, AgentName } from '../../../actors/agent/directory/definition.ts'
import { readAgent, readAgentVersions, restoreAgent } from '../../../store/agents.ts'
import { AgentId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { ChangedAgent, changedAgent } from './changed-agent.ts'
import { agentRefusal, conflict } from './refusal.ts'
import { Version } from './view.ts'

const VersionView = z.object({
  version: Version,
  name: AgentName,
  definition: AgentDefinition,
  saved_at: z.iso.datetime(),
  saved_by: z.string(),
})

export const listAgentVersions = route({
  method: 'GET',
  path: '/v1/admin/agents/versions',
  summary: 'List the versions of an agent',
  description: 'Newest first, also of deleted agents. Each has its whole definition.',
  tag: 'agents',
  access: admin('agents.read'),
  query: z.object({
    agent_id: AgentId,
    limit: z.coerce.number().int().min(1).max(50).default(20),
    cursor: z.coerce.number().pipe(Version).optional().describe('next_cursor of the page before'),
  }),
  answers: { 200: z.object({ items: z.array(VersionView), next_cursor: Version.nullable() }) },
  async handle({ app, query, principal }) {
    const { agent_id: id, limit, cursor: before = null } = query
    if (!(await readAgent(app.db, principal.workspaceId, id))) throw agentRefusal('unknown')
    const versions = await readAgentVersions(app.db, principal.workspaceId, id, { before, limit: limit + 1 })
    const items = versions.slice(0, limit).map(({ savedAt, savedBy, ...version }) => ({
      ...version,
      saved_at: savedAt.toISOString(),
      saved_by: savedBy,
    }))
    return { items, next_cursor: versions.length > limit ? (items.at(-1)?.version ?? null) : null }
  },
})

export const restoreAgentVersion = route({
  method: 'POST',
  path: '/v1/admin/agents/restore',
  summary: 'Restore a version of an agent',
  description: 'Its name and definition become a new version. A deleted agent is undeleted.',
  tag: 'agents',
  access: admin('agents.write'),
  body: z.strictObject({ agent_id: AgentId, version: Version }),
  answers: { 200: ChangedAgent },
  async handle(call) {
    const { app, body, principal } = call
    const { agent_id: id, version } = body
    const page = { before: version === 2_147_483_647 ? null : version + 1, limit: 1 }
    const [stored] = await readAgentVersions(app.db, principal.workspaceId, id, page)
    // Versions never change, so this is the one that is restored.
    if (stored?.version === version && !AgentDefinition.safeParse(stored.definition).success)
      throw conflict('version_unreadable', 'This version of the service cannot read that definition.', 'version')
    const restored = await restoreAgent(app.db, auditActor(call), id, version)
    if (typeof restored === 'string') throw agentRefusal(restored)
    return await changedAgent(app, principal.workspaceId, restored)
  },
})
