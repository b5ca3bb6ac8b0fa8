/** The operator's own session: reading it, and signing out. */
import { z } from 'zod'
import { readOperator } from '../../../store/operators/operators.ts'
import { revokeSessions } from '../../../store/operators/sessions.ts'
import { own } from '../../access.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { SignedInView, signedIn } from './begin-session.ts'
import { broadcastSessionChange } from './end-sessions.ts'

const shared = { tag: 'sign-in', access: own() } as const

export const readSession = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/auth/session',
  summary: 'Read one’s own session',
  answers: { 200: SignedInView },
  async handle({ app, principal }) {
    const { workspaceId, expiresAtMs } = principal
    const { id, role, csrfToken } = principal.operator
    const operator = await readOperator(app.db, id)
    if (!operator) throw sessionEnded()
    return signedIn(app, operator, { workspaceId, role, csrfToken, expiresAt: new Date(expiresAtMs ?? 0) })
  },
})

export const logOut = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/logout',
  summary: 'End one’s own session',
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, principal } = call
    await revokeSessions(app.db, principal.operator.id, { only: principal.operator.sessionId }, auditActor(call))
    await broadcastSessionChange(call)
    call.setHeader('set-cookie', app.auth.cookie.clear(call.isSecure))
    return { ok: true }
  },
})
