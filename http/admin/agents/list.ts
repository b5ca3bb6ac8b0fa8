/** `GET /v1/admin/agents`, and one of them. */
import { z } from 'zod'
import { listAgents, readAgent } from '../../../store/agents.ts'
import { AgentId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { agentRefusal } from './refusal.ts'
import { AgentSummary, AgentView, summaryOf, viewOf } from './view.ts'

export const listAgentsRoute = route({
  method: 'GET',
  path: '/v1/admin/agents',
  summary: 'List the agents',
  description: 'Newest first.',
  tag: 'agents',
  access: admin('agents.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).max(1_000_000).optional().describe('How many to skip; instead of cursor.'),
    cursor: AgentId.optional().describe('next_cursor of the page before; instead of offset.'),
    q: z.string().trim().max(64).default('').describe('A part of the name, in any case.'),
    deleted: z.enum(['true', 'false']).default('false').describe('true: deleted agents, which can be restored.'),
  }),
  answers: {
    200: z.object({
      items: z.array(AgentSummary),
      total: z.int().describe('Of all pages.'),
      next_cursor: AgentId.nullable(),
    }),
  },
  async handle({ app, query, principal }) {
    const { limit, offset = 0, cursor = null } = query
    if (query.offset !== undefined && cursor !== null)
      throw badRequest('Use either cursor or offset, not both.', 'offset')
    const filter = { name: query.q, isDeleted: query.deleted === 'true' }
    // One more than requested, to see whether there is another page.
    const page = { before: cursor, offset, limit: limit + 1 }
    const { agents, total } = await listAgents(app.db, principal.workspaceId, filter, page)
    const items = agents.slice(0, limit).map(summaryOf)
    return { items, total, next_cursor: agents.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const readAgentRoute = route({
  method: 'GET',
  path: '/v1/admin/agents/:agent_id',
  summary: 'Read an agent',
  tag: 'agents',
  access: admin('agents.read'),
  params: z.object({ agent_id: AgentId }),
  answers: { 200: AgentView },
  async handle({ app, params, principal }) {
    const agent = await readAgent(app.db, principal.workspaceId, params.agent_id)
    if (!agent || agent.deletedAt) throw agentRefusal('unknown')
    return viewOf(agent)
  },
})
