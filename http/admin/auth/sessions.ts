/** The operator's own sessions: listing and ending them. */
import { z } from 'zod'
import { SessionId, WorkspaceId } from '../../../store/id.ts'
import { listSessions, revokeSessions, type Session } from '../../../store/operators/sessions.ts'
import { own } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastSessionChange, endOtherSessions } from './end-sessions.ts'

const shared = { tag: 'sign-in', access: own() } as const

const SessionView = z.object({
  id: SessionId,
  workspace_id: WorkspaceId,
  is_current: z.boolean().describe('The session of this request.'),
  proofs: z
    .array(z.enum(['password', 'totp', 'recovery_code', 'passkey']))
    .describe('How the operator has proved who they are in it.'),
  created_at: z.iso.datetime(),
  seen_at: z.iso.datetime().describe('To the minute.'),
  confirmed_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  ip: z.string(),
  user_agent: z.string(),
})

function viewOf(session: Session, current: SessionId): z.infer<typeof SessionView> {
  return {
    id: session.id,
    workspace_id: session.workspaceId,
    is_current: session.id === current,
    proofs: session.proofs,
    created_at: session.createdAt.toISOString(),
    seen_at: session.seenAt.toISOString(),
    confirmed_at: session.confirmedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ip: session.ip,
    user_agent: session.userAgent,
  }
}

export const sessions = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/auth/sessions',
  summary: 'List one’s sessions',
  answers: { 200: z.object({ items: z.array(SessionView) }) },
  async handle({ app, principal }) {
    const { id, sessionId } = principal.operator
    const idleSeconds = app.settings.get('SERVICE_SESSION_IDLE_MINUTES') * 60
    const live = await listSessions(app.db, id, idleSeconds)
    return { items: live.map((session) => viewOf(session, sessionId)) }
  },
})

export const endSessions = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/sessions/revoke',
  summary: 'End one of one’s sessions, or all others',
  body: z.union([z.strictObject({ id: SessionId }), z.strictObject({ all_others: z.literal(true) })]),
  answers: { 200: z.object({ ok: z.literal(true), sessions_ended: z.int() }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, sessionId } = principal.operator
    if ('all_others' in body) return { ok: true, sessions_ended: await endOtherSessions(call) }
    const ended = await revokeSessions(app.db, id, { only: body.id }, auditActor(call))
    await broadcastSessionChange(call)
    if (ended === 0) throw notFound('There is no such session, or it has ended.')
    if (body.id === sessionId) call.setHeader('set-cookie', app.auth.cookie.clear(call.isSecure))
    return { ok: true, sessions_ended: ended }
  },
})
