/** Creating operators, and giving existing ones a role in this workspace. */
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
  summary: 'Create an operator',
  description: 'With the given password, or with a generated one that is shown only in this answer.',
  body: z.strictObject({
    login: Login,
    name: z.string().trim().max(200).default(''),
    role: z.enum(roles),
    password: Password.optional(),
  }),
  answers: {
    201: OperatorView.extend({ password: z.string().nullable().describe('The generated password, shown once.') }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const { login, name, role } = body
    refuseRole(await managerOf(app, principal), role)
    const generated = body.password === undefined ? newPassword() : null
    const passwordHash = await app.auth.passwords.hash(body.password ?? generated ?? '')
    const id = await createOperator(app.db, { login, name, role, passwordHash }, auditActor(call))
    // If this is the first operator, created with a key, it also makes the setup code invalid.
    await broadcastOperatorChange(app)
    return reply(201, { ...(await operatorView(app, id, principal.workspaceId)), password: generated })
  },
})

export const addOperator = route({
  ...shared,
  path: '/v1/admin/operators/add',
  summary: 'Give an operator a role in this workspace',
  description: 'For an operator who exists already, in another workspace or without any role.',
  body: z.strictObject({ login: Login, role: z.enum(roles) }),
  answers: { 200: OperatorView },
  async handle(call) {
    const { app, body, principal } = call
    const { workspaceId } = principal
    refuseRole(await managerOf(app, principal), body.role)
    const operator = await findCredentials(app.db, body.login)
    if (!operator) throw notFound('There is no operator with this login; create one.')
    await changeOperator(app.db, operator.id, { role: body.role }, auditActor(call), ({ roles: present }) => {
      if (present.some((each) => each.workspaceId === workspaceId)) throw alreadyHere()
    })
    await broadcastOperatorChange(app)
    return await operatorView(app, operator.id, workspaceId)
  },
})

const alreadyHere = (): ApiError =>
  new ApiError('already_here', 'This operator has a role in the workspace already; change that.')
