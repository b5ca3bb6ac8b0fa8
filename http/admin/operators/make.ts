/** Creating operators, and giving existing ones a role in this workspace. */
import { z } from 'zod'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import { changeOperator } from '../../../store/operators/changes.ts'
import { createOperator, findCredentials, LoginTaken } from '../../../store/operators/operators.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { refuseGuessable } from '../../auth/common-passwords.ts'
import { Login } from '../../auth/login-name.ts'
import { newPasswordLink } from '../../auth/password-link.ts'
import { roles } from '../../auth/permissions.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { Password } from '../auth/setup.ts'
import { loginWasTaken, refuseProbingLogins } from '../auth/sign-in-guard.ts'
import { broadcastOperatorChange } from './broadcast-change.ts'
import { operatorView } from './list.ts'
import { managerOf, refuseRole } from './may-manage.ts'
import { linkViewOf, OperatorView, PasswordLinkView } from './view.ts'

const shared = { tag: 'operators', access: admin('operators.write', { isDangerous: true }), method: 'POST' } as const

export const createOperatorRoute = route({
  ...shared,
  path: '/v1/admin/operators',
  issues: 'operator',
  summary: 'Create an operator',
  description: 'With the given password, or with a one-time link by which they set it themselves.',
  body: z.strictObject({
    login: Login,
    name: z.string().trim().max(200).default(''),
    role: z.enum(roles),
    password: Password.optional(),
  }),
  answers: {
    201: OperatorView.extend({ password_link: PasswordLinkView.nullable().describe('Null: with the given password.') }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const { login, name, role } = body
    const manager = await managerOf(app, principal)
    refuseRole(manager, role)
    if (body.password !== undefined) refuseGuessable(body.password, login, 'password')
    const ownsInstallation = manager.mayGrant('owner', defaultWorkspace(app))
    if (!ownsInstallation) refuseProbingLogins(call)
    const passwordHash = body.password === undefined ? null : await app.auth.passwords.hash(body.password)
    const link = passwordHash === null ? newPasswordLink(app.clock) : null
    const operator = { login, name, role, passwordHash, passwordLink: link?.stored }
    const id = await createOperator(app.db, operator, auditActor(call)).catch((error: unknown) => {
      if (error instanceof LoginTaken && !ownsInstallation) loginWasTaken(call)
      throw error
    })
    // If this is the first operator, created with a key, it also makes the setup code invalid.
    await broadcastOperatorChange(app)
    const view = await operatorView(app, id, principal.workspaceId)
    return reply(201, { ...view, password_link: link && linkViewOf(link) })
  },
})

export const addOperator = route({
  ...shared,
  path: '/v1/admin/operators/add',
  issues: 'operator',
  summary: 'Give an operator a role in this workspace',
  description:
    'For an operator who exists already. Others than an owner of the default workspace reach only whom they may change in ' +
    'another workspace too; of anybody else the answer does not tell whether there is such a login.',
  body: z.strictObject({ login: Login, role: z.enum(roles) }),
  answers: { 200: OperatorView },
  async handle(call) {
    const { app, body, principal } = call
    const { workspaceId } = principal
    const manager = await managerOf(app, principal)
    refuseRole(manager, body.role)
    const operator = await findCredentials(app.db, body.login)
    if (!operator) throw unknownLogin()
    const ownsInstallation = manager.mayGrant('owner', defaultWorkspace(app))
    await changeOperator(app.db, operator.id, { role: body.role }, auditActor(call), ({ roles: present }) => {
      if (present.some((each) => each.workspaceId === workspaceId)) throw alreadyHere()
      const isReachable = present.some((each) => manager.mayGrant(each.role, each.workspaceId))
      if (!ownsInstallation && !isReachable) throw unknownLogin()
    })
    await broadcastOperatorChange(app)
    return await operatorView(app, operator.id, workspaceId)
  },
})

const unknownLogin = (): ApiError =>
  notFound('You can add no operator with this login: create one, or ask an owner of the default workspace.')

const alreadyHere = (): ApiError =>
  new ApiError('already_here', 'This operator has a role in the workspace already; change that.')
