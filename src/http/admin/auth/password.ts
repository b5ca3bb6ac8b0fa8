/** `POST /v1/admin/auth/password`: an operator changes their own password, and is signed out everywhere else. */
import { z } from 'zod'
import { credentialsOf, setPassword } from '../../../store/operators.ts'
import { own } from '../../access.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { actorOf } from '../acting.ts'
import { endOtherSessions } from './factors-changed.ts'
import { guessFailed, refuseGuessing } from './guarded.ts'
import { Password } from './setup.ts'

export const changePassword = route({
  method: 'POST',
  path: '/v1/admin/auth/password',
  summary: 'Change one’s own password',
  description: 'Other sessions of the operator end.',
  tag: 'sign-in',
  access: own(),
  body: z.strictObject({ current: z.string().min(1).max(1_000), new: Password }),
  answers: { 200: z.object({ ok: z.literal(true), sessions_ended: z.int() }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, login } = principal.operator
    refuseGuessing(call, login)
    const known = await credentialsOf(app.db, id)
    if (!(await app.auth.passwords.matches(body.current, known?.passwordHash ?? null))) {
      await guessFailed(call, { account: login, action: 'session.confirm_refused', target: id }, actorOf(call))
      throw new ApiError(401, 'invalid_request_error', 'password_wrong', 'The current password is wrong.', {
        param: 'current',
      })
    }
    app.auth.limit.succeeded(call.clientIp, login)
    const passwordHash = await app.auth.passwords.hash(body.new)
    if (!(await setPassword(app.db, id, passwordHash, actorOf(call)))) throw sessionEnded()
    return { ok: true, sessions_ended: await endOtherSessions(call) }
  },
})
