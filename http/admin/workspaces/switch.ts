/** `POST /v1/admin/auth/workspace`: the session continues in another workspace, with another token. */
import { z } from 'zod'
import { WorkspaceId } from '../../../store/id.ts'
import { readOperator } from '../../../store/operators/operators.ts'
import { moveSession } from '../../../store/workspaces.ts'
import { own } from '../../access.ts'
import { csrfTokenOf, newSessionToken, sessionDigest } from '../../auth/session-cookie.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { SignedInView, signedIn } from '../auth/begin-session.ts'
import { broadcastSessionChange } from '../auth/end-sessions.ts'

export const switchWorkspace = route({
  method: 'POST',
  path: '/v1/admin/auth/workspace',
  issues: 'session',
  summary: 'Switch to another workspace',
  description: 'The session gets another cookie and csrf_token. When it ends does not change.',
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
    const role = await moveSession(app.db, move, auditActor(call))
    if (!role) throw noRole()
    // At once: the old token is invalid now, so a failure after this must not lose the new one.
    call.setHeader('set-cookie', app.auth.cookie.set(token, call.isSecure))
    await broadcastSessionChange(call)
    const operator = await readOperator(app.db, operatorId)
    if (!operator) throw sessionEnded()
    const expiresAt = new Date(principal.expiresAtMs ?? 0)
    return signedIn(app, operator, { workspaceId: body.workspace_id, role, csrfToken: csrfTokenOf(token), expiresAt })
  },
})

const noRole = (): ApiError => new ApiError('no_role', 'This operator holds no role in the workspace.')
