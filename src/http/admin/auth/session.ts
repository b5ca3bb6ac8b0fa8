/** The operator's own session: what it may do, proving again who is there, and its end. */
import { z } from 'zod'
import { notifyChange } from '../../../store/changes.ts'
import { credentialsOf, readOperator } from '../../../store/operators.ts'
import { confirmSession, revokeSessions } from '../../../store/sessions.ts'
import { own } from '../../access.ts'
import { permissions, roleMay } from '../../auth/permissions.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { actorOf } from '../acting.ts'
import { SignedInView } from './begin-session.ts'
import { refuseGuessing } from './guarded.ts'

const face = { tag: 'sign-in', access: own() } as const

export const readSession = route({
  ...face,
  method: 'GET',
  path: '/v1/admin/auth/session',
  summary: 'Read one’s own session',
  answers: { 200: SignedInView },
  async handle({ app, principal }) {
    const { operator: held, workspaceId, expiresAtMs } = principal
    const operator = await readOperator(app.db, held.id)
    if (!operator) throw sessionEnded()
    return {
      ok: true,
      operator: { id: operator.id, login: operator.login, name: operator.name },
      workspace_id: workspaceId,
      role: held.role,
      permissions: permissions.filter((permission) => roleMay(held.role, permission)),
      csrf_token: held.csrfToken,
      expires_at: new Date(expiresAtMs ?? 0).toISOString(),
      second_factor_wanted: app.settings.get('SERVICE_REQUIRE_2FA') && !operator.hasTotp && operator.passkeys === 0,
    }
  },
})

export const logOut = route({
  ...face,
  method: 'POST',
  path: '/v1/admin/auth/logout',
  summary: 'End one’s own session',
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, principal } = call
    await revokeSessions(app.db, principal.operator.id, { only: principal.operator.sessionId }, actorOf(call))
    app.auth.sessions.forget()
    await notifyChange(app.db, 'sessions')
    call.setHeader('set-cookie', app.auth.cookie.clear(call.isSecure))
    return { ok: true }
  },
})

export const confirm = route({
  ...face,
  method: 'POST',
  path: '/v1/admin/auth/confirm',
  summary: 'Show again who is there',
  description: 'Dangerous writes want it where the last proof is older than ten minutes.',
  body: z.strictObject({ password: z.string().min(1).max(1_000) }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, sessionId, login } = principal.operator
    refuseGuessing(call, login)
    const known = await credentialsOf(app.db, id)
    if (!(await app.auth.passwords.matches(body.password, known?.passwordHash ?? null))) {
      app.auth.limit.failed(call.clientIp, login)
      throw new ApiError(401, 'invalid_request_error', 'confirmation_refused', 'The password is wrong.')
    }
    app.auth.limit.succeeded(call.clientIp, login)
    await confirmSession(app.db, sessionId, actorOf(call))
    app.auth.sessions.forget()
    await notifyChange(app.db, 'sessions')
    return { ok: true }
  },
})
