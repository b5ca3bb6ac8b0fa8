/** `POST /v1/admin/auth/login`: an operator signs in. */
import { z } from 'zod'
import { writeAudit } from '../../../store/audit.ts'
import { WorkspaceId } from '../../../store/id.ts'
import { findCredentials, loginOf } from '../../../store/operators.ts'
import { open } from '../../access.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { beginSession, SignedInView, userAgentHeader } from './begin-session.ts'
import { refuseGuessing } from './guarded.ts'
import { defaultWorkspace } from './setup.ts'

export const logIn = route({
  method: 'POST',
  path: '/v1/admin/auth/login',
  summary: 'Sign in',
  description: 'The session is a cookie, HttpOnly and SameSite=Strict, made anew with each login.',
  tag: 'sign-in',
  access: open,
  headers: [userAgentHeader],
  body: z.strictObject({
    login: z.string().min(1).max(200),
    password: z.string().min(1).max(1_000),
    workspace_id: WorkspaceId.optional().describe('Where the operator holds a role; by default the first such one.'),
  }),
  answers: { 200: SignedInView },
  async handle(call) {
    const { app, body } = call
    const login = loginOf(body.login)
    refuseGuessing(call, login)
    const known = await findCredentials(app.db, login)
    // The same work whether or not there is such an operator: the time must not tell.
    const isMatch = await app.auth.passwords.matches(body.password, known?.passwordHash ?? null)
    if (!known || !isMatch || known.isDisabled) {
      await refused(call, login)
      throw wrong()
    }
    app.auth.limit.succeeded(call.clientIp, login)
    return await beginSession(call, known.id, ['password'], body.workspace_id)
  },
})

/** Written down too: who was guessed at, and from where. */
async function refused(call: Call, login: string): Promise<void> {
  const { app, clientIp, requestId } = call
  app.auth.limit.failed(clientIp, login)
  const actor = { workspaceId: defaultWorkspace(app), name: 'nobody', ip: clientIp, requestId }
  await app.db.transaction(actor.workspaceId, (query) =>
    writeAudit(query, { actor, action: 'session.refused', target: login }),
  )
}

const wrong = (): ApiError =>
  new ApiError(401, 'invalid_request_error', 'login_refused', 'The login or the password is wrong.')
