/** `POST /v1/admin/auth/password`: an operator changes their own password, and is signed out everywhere else. */
import { z } from 'zod'
import { credentialsOf, setPassword } from '../../../store/operators/operators.ts'
import { own } from '../../access.ts'
import { refuseGuessable } from '../../auth/common-passwords.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { endOtherSessions } from './end-sessions.ts'
import { Password } from './setup.ts'
import { guessFailed, limitGuesses } from './sign-in-guard.ts'

export const changePassword = route({
  method: 'POST',
  path: '/v1/admin/auth/password',
  issues: 'password',
  summary: 'Change one’s own password',
  description: 'Other sessions of the operator end.',
  tag: 'sign-in',
  access: own(),
  body: z.strictObject({ current: z.string().min(1).max(1_000), new: Password }),
  answers: { 200: z.object({ ok: z.literal(true), sessions_ended: z.int() }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, login } = principal.operator
    const before = await limitGuesses(call, login, async () => {
      const hash = (await credentialsOf(app.db, id))?.passwordHash ?? null
      if ((await app.auth.passwords.matches(body.current, hash)) && hash !== null) return hash
      await guessFailed(call, { account: login, action: 'session.confirm_refused', target: id }, auditActor(call))
      throw passwordWrong()
    })
    app.auth.limit.succeeded(call.clientIp, login)
    refuseGuessable(body.new, login, 'new')
    const passwordHash = await app.auth.passwords.hash(body.new)
    // Compared with the old hash: if the password was reset meanwhile, this change must not undo that.
    if (!(await setPassword(app.db, id, { before, after: passwordHash }, auditActor(call)))) throw sessionEnded()
    return { ok: true, sessions_ended: await endOtherSessions(call) }
  },
})

const passwordWrong = (): ApiError =>
  new ApiError('password_wrong', 'The current password is wrong.', { param: 'current' })
