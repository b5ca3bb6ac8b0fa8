/** Making operators, and giving one of the installation a role in this workspace. */
import { z } from 'zod'
import { changeOperator } from '../../../store/operators/changes.ts'
import { createOperator, findCredentials } from '../../../store/operators/operators.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { Login } from '../../auth/login-name.ts'
import { roles } from '../../auth/permissions.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { Password } from '../auth/setup.ts'
import { broadcastOperatorChange } from './broadcast-change.ts'
import { operatorView } from './list.ts'
import { managerOf, refuseRole } from './may-manage.ts'
import { newPassword } from './new-password.ts'
import { OperatorView } from './view.ts'

const shared = { tag: 'operators', access: admin('operators.write', { isDangerous: true }), method: 'POST' } as const

export const createOperatorRoute = route({
  ...shared,
  path: '/v1/admin/operators',
  summary: 'Make an operator',
  description: 'With the given password, or with one that is made up and shown in this answer only.',
  body: z.strictObject({
    login: Login,
    name: z.string().trim().max(200).default(''),
    role: z.enum(roles),
    password: Password.optional(),
  }),
  answers: { 201: OperatorView.extend({ password: z.string().nullable().describe('The made-up one, shown once.') }) },
  async handle(call) {
    const { app, body, principal } = call
    const { login, name, role } = body
    refuseRole(await managerOf(app, principal), role)
    const madeUp = body.password === undefined ? newPassword() : null
    const passwordHash = await app.auth.passwords.hash(body.password ?? madeUp ?? '')
    const id = await createOperator(app.db, { login, name, role, passwordHash }, auditActor(call))
    // The first one, made with a key: the code of the start is void now.
    await broadcastOperatorChange(app)
    return reply(201, { ...(await operatorView(app, id, principal.workspaceId)), password: madeUp })
  },
})

export const addOperator = route({
  ...shared,
  path: '/v1/admin/operators/add',
  summary: 'Give an operator a role in this workspace',
  description: 'One who is there already, in another workspace or without any role.',
  body: z.strictObject({ login: Login, role: z.enum(roles) }),
  answers: { 200: OperatorView },
  async handle(call) {
    const { app, body, principal } = call
    const { workspaceId } = principal
    const reach = await managerOf(app, principal)
    refuseRole(reach, body.role)
    const known = await findCredentials(app.db, body.login)
    if (!known) throw notFound('There is no operator with this login; make one.')
    await changeOperator(app.db, known.id, { role: body.role }, auditActor(call), ({ roles: held }) => {
      if (held.some((each) => each.workspaceId === workspaceId)) throw alreadyHere()
    })
    await broadcastOperatorChange(app)
    return await operatorView(app, known.id, workspaceId)
  },
})

const alreadyHere = (): ApiError =>
  new ApiError('already_here', 'This operator holds a role in the workspace; change it.')
