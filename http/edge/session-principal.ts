/** The operator of a session cookie, where the request comes from a page that may use it. */
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { csrfTokenOf } from '../auth/session-cookie.ts'
import { ApiError } from '../error.ts'
import type { Exchange } from '../server/exchange.ts'
import { isOwnOrigin, isSecure } from './own-origin.ts'
import type { EdgePolicy } from './policy.ts'

export const csrfHeader = 'x-csrf-token'

const confirmedForMs = 10 * 60_000

/** @param csrf X-CSRF-Token; empty when absent @returns undefined where the request has no session cookie of ours */
export function sessionPrincipal(
  app: App,
  exchange: Exchange,
  { policy, csrf }: { policy: EdgePolicy; csrf: string },
): Principal | ApiError | Promise<Principal | ApiError> | undefined {
  const { head } = exchange
  const token = app.auth.cookie.read(head.cookie, isSecure(exchange, policy))
  if (token === undefined) return undefined
  const isRead = head.method === 'GET' || head.method === 'HEAD'
  if ((!isRead || exchange.isUpgradable) && !isOwnOrigin(exchange, policy)) return foreignOrigin()
  if (!isRead && csrf !== csrfTokenOf(token)) return csrfMissing()
  return app.auth.sessions.authenticate(token, () => exchange.clientIp)
}

/** Whether the operator has proved who they are within the last ten minutes. Dangerous writes require it. */
export function isConfirmed(principal: Principal, nowMs: number): boolean {
  return !principal.operator || nowMs - principal.operator.confirmedAtMs < confirmedForMs
}

export const confirmationRequired = (): ApiError =>
  new ApiError(
    'confirmation_required',
    'Confirm who you are with POST /v1/admin/auth/confirm, then repeat the request.',
  )

export const installationOnly = (): ApiError =>
  new ApiError('installation_only', 'This concerns the whole installation. It needs the role in the default workspace.')

const foreignOrigin = (): ApiError =>
  new ApiError('origin_refused', 'A session cannot be used from pages of this origin.')

const csrfMissing = (): ApiError =>
  new ApiError(
    'csrf_token_invalid',
    'Writes with a session need the header X-CSRF-Token, with the csrf_token of GET /v1/admin/auth/session.',
  )
