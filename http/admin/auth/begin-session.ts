/** Makes a session for an operator whose credentials were checked, and sets its cookie. */

import { z } from 'zod'
import { OperatorId, WorkspaceId } from '../../../store/id.ts'
import { type Operator, readOperator } from '../../../store/operators/operators.ts'
import { createSession, type NewSession, SignInChanged } from '../../../store/operators/sessions.ts'
import type { App } from '../../app.ts'
import { permissions, type Role, roleMay, roles } from '../../auth/permissions.ts'
import { csrfTokenOf, newSessionToken, sessionDigest } from '../../auth/session-cookie.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { broadcastSessionChange } from './end-sessions.ts'

export const SignedInView = z.object({
  ok: z.literal(true),
  operator: z.object({ id: OperatorId, login: z.string(), name: z.string() }),
  workspace_id: WorkspaceId,
  role: z.enum(roles),
  permissions: z.array(z.enum(permissions as [string, ...string[]])),
  csrf_token: z.string().describe('Sent with each write of this session, as the header X-CSRF-Token.'),
  expires_at: z.iso.datetime(),
  second_factor_wanted: z
    .boolean()
    .describe('SERVICE_REQUIRE_2FA is on and this operator has no second factor: set one up.'),
})
export type SignedInView = z.infer<typeof SignedInView>

/** Declared by routes that begin sessions. */
export const userAgentHeader = 'user-agent'

export interface SignIn extends Pick<NewSession, 'operatorId' | 'proofs' | 'checkedCredentials'> {
  /** Absent: the first workspace in which the operator has a role. */
  workspaceId?: WorkspaceId | undefined
}

/** @throws ApiError 401 where the checked credentials have changed, 403 for an operator without a role in the workspace */
export async function beginSession(call: Call, signIn: SignIn): Promise<SignedInView> {
  const { app, clientIp, requestId } = call
  const { operatorId, proofs, checkedCredentials } = signIn
  const operator = await readOperator(app.db, operatorId)
  const membership = operator?.roles.find(
    ({ workspaceId }) => signIn.workspaceId === undefined || workspaceId === signIn.workspaceId,
  )
  if (!operator || !membership) throw noRole()
  const token = newSessionToken()
  const expiresAt = new Date(app.clock.now() + app.settings.get('SERVICE_SESSION_HOURS_MAX') * 3_600_000)
  const { workspaceId, role } = membership
  const { evicted } = await createSession(
    app.db,
    {
      hash: Buffer.from(sessionDigest(token), 'hex'),
      operatorId,
      workspaceId,
      proofs,
      expiresAt,
      ip: clientIp,
      ...(checkedCredentials && { checkedCredentials }),
      userAgent: call.header(userAgentHeader).slice(0, 400),
    },
    { workspaceId, name: operator.login, ip: clientIp, requestId },
  ).catch((error: unknown) => {
    throw error instanceof SignInChanged ? changedMeanwhile(error) : error
  })
  call.setHeader('set-cookie', app.auth.cookie.set(token, call.isSecure))
  if (evicted > 0) await broadcastSessionChange(call)
  return signedIn(app, operator, { workspaceId, role, csrfToken: csrfTokenOf(token), expiresAt })
}

export function signedIn(
  app: App,
  operator: Operator,
  session: { workspaceId: WorkspaceId; role: Role; csrfToken: string; expiresAt: Date },
): SignedInView {
  const hasFactor = operator.hasTotp || operator.passkeys > 0
  return {
    ok: true,
    operator: { id: operator.id, login: operator.login, name: operator.name },
    workspace_id: session.workspaceId,
    role: session.role,
    permissions: permissions.filter((permission) => roleMay(session.role, permission)),
    csrf_token: session.csrfToken,
    expires_at: session.expiresAt.toISOString(),
    second_factor_wanted: app.settings.get('SERVICE_REQUIRE_2FA') && !hasFactor,
  }
}

const noRole = (): ApiError => new ApiError('no_role', 'This operator holds no role in the workspace.')

/** The same text as a refused login: it tells no more. */
const changedMeanwhile = (cause: SignInChanged): ApiError =>
  new ApiError('login_refused', 'The login or the password is wrong.', { cause })
