/** What a caller may give away with a key: never more than they hold themselves. */
import { holds, type Principal, type Scope } from '../../access.ts'
import { ApiError } from '../../error.ts'

/** An operator holds no scopes: a key with every scope is as much as an owner, and owners only make it. */
export function mayIssue(principal: Principal, scope: Scope): boolean {
  if (!principal.operator) return holds(principal, scope)
  return scope !== '*' || principal.operator.role === 'owner'
}

/** @throws ApiError 403 for a scope that is above the caller */
export function refuseBeyond(principal: Principal, scopes: readonly Scope[]): void {
  const beyond = scopes.find((wanted) => !mayIssue(principal, wanted))
  if (beyond === undefined) return
  const message = `A key cannot have a scope that its maker lacks: ${beyond}.`
  throw new ApiError(403, 'permission_error', 'scope_beyond_maker', message, { param: 'scopes' })
}

/** What binds a key binds the keys that it makes: they end with it, and come from where it may come from. @throws ApiError 403 */
export function boundLikeMaker(
  { expiresAtMs, allowedIps = [], operator }: Principal,
  wanted: { expiresAt: Date | null; allowedIps: readonly string[] },
): { expiresAt: Date | null; allowedIps: readonly string[] } {
  // A session ends soon in any case; what its operator may do does not end with it.
  if (operator) return wanted
  if (expiresAtMs !== null && (wanted.expiresAt?.getTime() ?? 0) > expiresAtMs) throw looserThanMaker('expires_at')
  const strange = allowedIps.length > 0 && wanted.allowedIps.some((network) => !allowedIps.includes(network))
  if (strange) throw looserThanMaker('allowed_ips')
  return {
    expiresAt: wanted.expiresAt ?? (expiresAtMs === null ? null : new Date(expiresAtMs)),
    allowedIps: wanted.allowedIps.length > 0 ? wanted.allowedIps : allowedIps,
  }
}

function looserThanMaker(param: string): ApiError {
  const message = 'A key cannot live longer than its maker, or come from where its maker may not.'
  return new ApiError(403, 'permission_error', 'looser_than_maker', message, { param })
}
