/** `/v1/admin/tools/grants`: which tools that reach the installation's own each workspace may use. */
import { z } from 'zod'
import { ToolName } from '../../../actors/agent/directory/definition.ts'
import { WorkspaceId } from '../../../store/id.ts'
import { listToolGrants, setToolGrants, toolGrantsMax } from '../../../store/workspaces.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { broadcastAgents } from '../agents/changed-agent.ts'
import { auditActor } from '../audit-actor.ts'

const tag = 'tools'

const Names = z
  .array(ToolName)
  .max(toolGrantsMax)
  .describe('Names of tools; `name*` for all that begin so, `*` for all. Empty: none that needs a grant.')

export const listGrants = route({
  method: 'GET',
  path: '/v1/admin/tools/grants',
  summary: 'List the tools granted to workspaces',
  description: 'Of every workspace, the oldest first. The default one has all tools, whatever is granted to it.',
  tag,
  access: admin('tools.grant', { isInstallation: true }),
  answers: {
    200: z.object({ items: z.array(z.object({ workspace_id: WorkspaceId, name: z.string(), tools: Names })) }),
  },
  async handle({ app }) {
    const grants = await listToolGrants(app.db)
    return { items: grants.map(({ id, name, tools }) => ({ workspace_id: id, name, tools })) }
  },
})

export const setGrants = route({
  method: 'POST',
  path: '/v1/admin/tools/grants/set',
  summary: 'Grant tools to a workspace',
  description: 'In place of those that it had, from its next turn on. For owners, and keys with the scope `*`.',
  tag,
  access: admin('tools.grant', { isDangerous: true, isInstallation: true }),
  body: z.strictObject({ workspace_id: WorkspaceId, tools: Names }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body } = call
    const { workspace_id: workspace, tools } = body
    if (!(await setToolGrants(app.db, { workspace, tools: [...new Set(tools)] }, auditActor(call))))
      throw notFound('There is no such workspace.')
    await broadcastAgents(app)
    return { ok: true }
  },
})
