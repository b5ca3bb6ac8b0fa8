/** `POST /v1/admin/auth/workspace`: the session goes on in another workspace, under another token. */
import { z } from 'zod'
import { notifyChange } from '../../../store/changes.ts'
import { WorkspaceId } from '../../../store/id.ts'
import { readOperator } from '../../../store/operators.ts'
import { moveSession } from '../../../store/workspaces.ts'
import { own } from '../../access.ts'
import { permissions, roleMay } from '../../auth/permissions.ts'
import { csrfTokenOf, newSessionToken, sessionDigest } from '../../auth/session-cookie.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { actorOf } from '../acting.ts'
import { SignedInView } from '../auth/begin-session.ts'

export const switchWorkspace = route({
  method: 'POST',
  path: '/v1/admin/auth/workspace',
  summary: 'Go on in another workspace',
  description: 'The session gets another cookie and another csrf_token, and ends when it would have ended.',
  tag: 'sign-in',
  access: own(),
  body: z.strictObject({ workspace_id: WorkspaceId }),
  answers: { 200: SignedInView },
  async handle(call) {
    const { app, body, principal } = call
    const { id: operatorId, sessionId } = principal.operator
    const token = newSessionToken()
    const hash = Buffer.from(sessionDigest(token), 'hex')
    const move = { sessionId, operatorId, to: body.workspace_id, hash }
    const role = await moveSession(app.db, move, actorOf(call))
    if (!role) throw noRole()
    app.auth.sessions.forget()
    await notifyChange(app.db, 'sessions')
    const operator = await readOperator(app.db, operatorId)
    if (!operator) throw sessionEnded()
    call.setHeader('set-cookie', app.auth.cookie.set(token, call.isSecure))
    return {
      ok: true,
      operator: { id: operator.id, login: operator.login, name: operator.name },
      workspace_id: body.workspace_id,
      role,
      permissions: permissions.filter((permission) => roleMay(role, permission)),
      csrf_token: csrfTokenOf(token),
      expires_at: new Date(principal.expiresAtMs ?? 0).toISOString(),
      second_factor_wanted: app.settings.get('SERVICE_REQUIRE_2FA') && !operator.hasTotp && operator.passkeys === 0,
    }
  },
})

const noRole = (): ApiError =>
  new ApiError(403, 'permission_error', 'no_role', 'This operator holds no role in the workspace.')
