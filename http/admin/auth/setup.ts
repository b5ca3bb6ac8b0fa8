/** Creating the first operator, in the browser, with the code that the service printed at its start. */
import { z } from 'zod'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import { createOperator } from '../../../store/operators/operators.ts'
import { open } from '../../access.ts'
import { reply } from '../../answer.ts'
import { refuseGuessable } from '../../auth/common-passwords.ts'
import { Login } from '../../auth/login-name.ts'
import { passwordCharacters } from '../../auth/passwords.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { broadcastOperatorChange } from '../operators/broadcast-change.ts'
import { beginSession, SignedInView, userAgentHeader } from './begin-session.ts'
import { refuseGuessing } from './sign-in-guard.ts'

const shared = { tag: 'sign-in', path: '/v1/admin/auth/setup', access: open } as const

export const Password = z.string().min(passwordCharacters.min).max(passwordCharacters.max)
export const isSetupNeeded = route({
  ...shared,
  method: 'GET',
  summary: 'Whether the first operator has to be created',
  answers: { 200: z.object({ is_needed: z.boolean() }) },
  handle: ({ app }) => ({ is_needed: app.auth.setup.text !== undefined }),
})

export const setUp = route({
  ...shared,
  method: 'POST',
  summary: 'Create the first operator',
  issues: 'session',
  description: 'An owner, signed in with this answer. Needs the code that the service printed at its start.',
  headers: [userAgentHeader],
  body: z.strictObject({
    code: z.string().max(100),
    login: Login,
    name: z.string().trim().max(200).default(''),
    password: Password,
  }),
  answers: { 201: SignedInView },
  async handle(call) {
    const { app, body } = call
    // The code is too long to be guessed from many addresses, so failures of one address do not delay others.
    const account = `SETUP FROM ${call.clientIp}`
    await refuseGuessing(call, account, 'setup')
    const { setup, limit } = app.auth
    if (!setup.matches(body.code)) {
      limit.failed(call.clientIp, account)
      throw setup.text === undefined ? alreadySetUp() : wrongCode()
    }
    refuseGuessable(body.password, body.login, 'password')
    const passwordHash = await app.auth.passwords.hash(body.password)
    const operator = { login: body.login, name: body.name, passwordHash, role: 'owner' } as const
    const actor = { workspaceId: defaultWorkspace(app), name: 'setup', ip: call.clientIp, requestId: call.requestId }
    const id = await createOperator(app.db, operator, actor, { isFirst: true })
    setup.invalidate()
    // The codes of other processes become invalid too.
    await broadcastOperatorChange(app)
    return reply(201, await beginSession(call, { operatorId: id, proofs: ['password'] }))
  },
})

const alreadySetUp = (): ApiError => new ApiError('already_set_up', 'The first operator exists already; sign in.')

const wrongCode = (): ApiError =>
  new ApiError('setup_code_wrong', 'The setup code is wrong. The service prints a new one at each start.')
