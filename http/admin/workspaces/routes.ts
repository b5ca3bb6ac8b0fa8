/** `/v1/admin/workspaces`: the operator's own workspaces; creating and renaming them. */
import { z } from 'zod'
import { WorkspaceId } from '../../../store/id.ts'
import {
  createWorkspace,
  type OperatorWorkspace,
  renameWorkspace,
  TooManyWorkspaces,
  workspacesOfOperator,
} from '../../../store/workspaces.ts'
import { admin, own } from '../../access.ts'
import { reply } from '../../answer.ts'
import { mayGrant, roles } from '../../auth/permissions.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastOperatorChange } from '../operators/broadcast-change.ts'

const tag = 'workspaces'

const WorkspaceName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}+$/u, 'must have no control characters')

const WorkspaceView = z.object({
  id: WorkspaceId,
  name: z.string(),
  role: z.enum(roles).describe('The operator’s role there.'),
  is_current: z.boolean().describe('The workspace of this session.'),
  created_at: z.iso.datetime(),
})

export const listWorkspaces = route({
  method: 'GET',
  path: '/v1/admin/workspaces',
  summary: 'List one’s own workspaces',
  description: 'Those in which the operator has a role, in the order in which it was granted.',
  tag,
  access: own(),
  answers: { 200: z.object({ items: z.array(WorkspaceView) }) },
  async handle({ app, principal }) {
    const workspaces = await workspacesOfOperator(app.db, principal.operator.id)
    return { items: workspaces.map((workspace) => viewOf(workspace, principal.workspaceId)) }
  },
})

export const createWorkspaceRoute = route({
  method: 'POST',
  path: '/v1/admin/workspaces',
  summary: 'Create a workspace',
  description: 'For owners only; whoever creates it owns it.',
  tag,
  access: own('account.own', { isDangerous: true }),
  body: z.strictObject({ name: WorkspaceName }),
  answers: { 201: WorkspaceView },
  async handle(call) {
    const { app, body, principal } = call
    if (!mayGrant(principal.operator.role, 'owner')) throw ownersOnly()
    const made = await createWorkspace(app.db, body.name, principal.operator.id, auditActor(call)).catch(
      (error: unknown) => {
        throw error instanceof TooManyWorkspaces ? tooMany(error) : error
      },
    )
    await broadcastOperatorChange(app)
    return reply(201, viewOf(made, principal.workspaceId))
  },
})

export const renameWorkspaceRoute = route({
  method: 'POST',
  path: '/v1/admin/workspaces/rename',
  summary: 'Rename this workspace',
  tag,
  access: admin('settings.write'),
  body: z.strictObject({ name: WorkspaceName }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    await renameWorkspace(call.app.db, call.body.name, auditActor(call))
    return { ok: true }
  },
})

function viewOf({ id, name, role, createdAt }: OperatorWorkspace, current: WorkspaceId): z.infer<typeof WorkspaceView> {
  return { id, name, role, is_current: id === current, created_at: createdAt.toISOString() }
}

const ownersOnly = (): ApiError => new ApiError('forbidden', 'Only an owner can create a workspace.')

const tooMany = (error: TooManyWorkspaces): ApiError => new ApiError(error.code, `${error.message}.`, { cause: error })
