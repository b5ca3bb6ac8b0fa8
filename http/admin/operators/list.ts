/** `GET /v1/admin/operators`, and one of them: operators with a role in the workspace. */
import { z } from 'zod'
import type { WorkspaceId } from '../../../store/id.ts'
import { OperatorId } from '../../../store/id.ts'
import { listOperators, readOperator } from '../../../store/operators/operators.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { roles } from '../../auth/permissions.ts'
import { route } from '../../route.ts'
import { unknownOperator } from './may-manage.ts'
import { OperatorView, viewOf } from './view.ts'

const shared = { tag: 'operators', access: admin('operators.read'), method: 'GET' } as const

export const listOperatorsRoute = route({
  ...shared,
  path: '/v1/admin/operators',
  summary: 'List the operators',
  description: 'In the order of their logins.',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().min(1).max(200).optional().describe('next_cursor of the page before'),
    q: z.string().trim().max(100).default('').describe('In the login or the name, in any case.'),
    role: z.enum(roles).optional().describe('In this workspace.'),
    disabled: z.stringbool().optional(),
    second_factor: z.stringbool().optional().describe('Whether they have an authenticator or a passkey.'),
  }),
  answers: { 200: z.object({ items: z.array(OperatorView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const { limit, cursor = null, q, role, disabled, second_factor } = query
    const { workspaceId } = principal
    // One more than requested, to see whether there is another page.
    const page = { after: cursor, limit: limit + 1 }
    const filters = { text: q, role, isDisabled: disabled, hasFactor: second_factor }
    const found = await listOperators(app.db, workspaceId, page, filters)
    const items = found.slice(0, limit).map((operator) => viewOf(operator, workspaceId))
    return { items, next_cursor: found.length > limit ? (items.at(-1)?.login ?? null) : null }
  },
})

export const readOperatorRoute = route({
  ...shared,
  path: '/v1/admin/operators/:operator_id',
  summary: 'Read an operator',
  params: z.object({ operator_id: OperatorId }),
  answers: { 200: OperatorView },
  handle: ({ app, params, principal }) => operatorView(app, params.operator_id, principal.workspaceId),
})

/** @throws ApiError 404 for one without a role in the workspace */
export async function operatorView(app: App, id: OperatorId, workspace: WorkspaceId): Promise<OperatorView> {
  const operator = await readOperator(app.db, id)
  if (!operator?.roles.some(({ workspaceId }) => workspaceId === workspace)) throw unknownOperator()
  return viewOf(operator, workspace)
}
