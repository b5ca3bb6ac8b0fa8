/** What a caller may issue keys for: never more than they may do themselves. */
import { hasScope, type Principal, type Scope } from '../../access.ts'
import { ApiError } from '../../error.ts'

/** Operators have no scopes. A key with every scope may do what an owner may, so only owners issue it. */
export function mayIssue(principal: Principal, scope: Scope): boolean {
  if (!principal.operator) return hasScope(principal, scope)
  return scope !== '*' || principal.operator.role === 'owner'
}

/** @throws ApiError 403 for a scope that the caller may not issue */
export function refuseScopesBeyond(principal: Principal, scopes: readonly Scope[]): void {
  const beyond = scopes.find((scope) => !mayIssue(principal, scope))
  if (beyond === undefined) return
  const message = `A key cannot have a scope that its maker lacks: ${beyond}.`
  throw new ApiError('scope_beyond_maker', message, { param: 'scopes' })
}

interface Bounds {
  expiresAt: Date | null
  allowedIps: readonly string[]
  rateLimitRpm: number | null
}

/** A key made with a key gets the limits of its maker where none are requested. @throws ApiError 403 for looser ones */
export function inheritMakerLimits(principal: Principal, requested: Bounds): Bounds {
  // The limits of a session are not those of its operator.
  if (principal.operator) return requested
  const { expiresAtMs, allowedIps = [], rateLimitRpm } = principal
  const bounds = {
    expiresAt: requested.expiresAt ?? (expiresAtMs === null ? null : new Date(expiresAtMs)),
    allowedIps: requested.allowedIps.length > 0 ? requested.allowedIps : allowedIps,
    rateLimitRpm: requested.rateLimitRpm ?? rateLimitRpm,
  }
  refuseLooserLimits(principal, bounds)
  return bounds
}

/** Applies to rotated keys too: the caller gets their new text. @throws ApiError 403 */
export function refuseLooserLimits(principal: Principal, { expiresAt, allowedIps, rateLimitRpm }: Bounds): void {
  if (principal.operator) return
  const own = principal.allowedIps ?? []
  const isLater =
    principal.expiresAtMs !== null && (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) > principal.expiresAtMs
  if (isLater) throw looserThanMaker('expires_at')
  const isWider = own.length > 0 && (allowedIps.length === 0 || allowedIps.some((network) => !own.includes(network)))
  if (isWider) throw looserThanMaker('allowed_ips')
  const isFaster =
    principal.rateLimitRpm !== null && (rateLimitRpm ?? Number.POSITIVE_INFINITY) > principal.rateLimitRpm
  if (isFaster) throw looserThanMaker('rate_limit_rpm')
}

function looserThanMaker(param: string): ApiError {
  const message = 'A key cannot issue keys that expire later, allow other addresses or have a higher rate than itself.'
  return new ApiError('looser_than_maker', message, { param })
}
