/** Whoever shows the cookie of a session: an operator, where the request comes from a page that may act for one. */
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { csrfTokenOf } from '../auth/session-cookie.ts'
import { ApiError } from '../error.ts'
import type { Exchange } from '../server/exchange.ts'
import { isOwnOrigin, isSecure } from './own-origin.ts'
import type { EdgePolicy } from './policy.ts'

export const csrfHeader = 'x-csrf-token'

const confirmedForMs = 10 * 60_000

/** @param csrf the header of that name; empty when there is none. Undefined: the request has no cookie of ours */
export function sessionPrincipal(
  app: App,
  exchange: Exchange,
  policy: EdgePolicy,
  csrf: string,
): Principal | ApiError | Promise<Principal | ApiError> | undefined {
  const { head } = exchange
  const token = app.auth.cookie.read(head.cookie, isSecure(exchange, policy))
  if (token === undefined) return undefined
  const isRead = head.method === 'GET' || head.method === 'HEAD'
  if ((!isRead || exchange.isUpgradable) && !isOwnOrigin(exchange, policy)) return strangeOrigin()
  if (!isRead && csrf !== csrfTokenOf(token)) return csrfMissing()
  return app.auth.sessions.authenticate(token, () => exchange.clientIp)
}

/** Dangerous writes want a proof of who is there that is not older than ten minutes. */
export function isConfirmed(principal: Principal, nowMs: number): boolean {
  return !principal.operator || nowMs - principal.operator.confirmedAtMs < confirmedForMs
}

export const confirmationRequired = (): ApiError =>
  new ApiError('confirmation_required', 'Show again who you are: POST /v1/admin/auth/confirm, and repeat the request.')

export const installationOnly = (): ApiError =>
  new ApiError(
    'installation_only',
    'This is about the whole installation: for who holds the role in its default workspace.',
  )

const strangeOrigin = (): ApiError =>
  new ApiError('origin_refused', 'A session cannot be used from pages of this origin.')

const csrfMissing = (): ApiError =>
  new ApiError(
    'csrf_token_invalid',
    'Writes with a session carry the header X-CSRF-Token, with the csrf_token of GET /v1/admin/auth/session.',
  )
