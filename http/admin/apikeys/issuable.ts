/** What a caller may give away with a key: never more than they hold themselves. */
import { hasScope, type Principal, type Scope } from '../../access.ts'
import { ApiError } from '../../error.ts'

/** An operator holds no scopes: a key with every scope is as much as an owner, and owners only make it. */
export function mayIssue(principal: Principal, scope: Scope): boolean {
  if (!principal.operator) return hasScope(principal, scope)
  return scope !== '*' || principal.operator.role === 'owner'
}

/** @throws ApiError 403 for a scope that is above the caller */
export function refuseScopesBeyond(principal: Principal, scopes: readonly Scope[]): void {
  const beyond = scopes.find((wanted) => !mayIssue(principal, wanted))
  if (beyond === undefined) return
  const message = `A key cannot have a scope that its maker lacks: ${beyond}.`
  throw new ApiError('scope_beyond_maker', message, { param: 'scopes' })
}

interface Bounds {
  expiresAt: Date | null
  allowedIps: readonly string[]
  rateLimitRpm: number | null
}

/** What binds a key binds the keys that it makes: what they do not say is as with their maker. @throws ApiError 403 */
export function inheritMakerLimits(principal: Principal, wanted: Bounds): Bounds {
  // A session ends soon in any case; what its operator may do does not end with it.
  if (principal.operator) return wanted
  const { expiresAtMs, allowedIps = [], rateLimitRpm } = principal
  const bounds = {
    expiresAt: wanted.expiresAt ?? (expiresAtMs === null ? null : new Date(expiresAtMs)),
    allowedIps: wanted.allowedIps.length > 0 ? wanted.allowedIps : allowedIps,
    rateLimitRpm: wanted.rateLimitRpm ?? rateLimitRpm,
  }
  refuseLooserLimits(principal, bounds)
  return bounds
}

/** Also whoever gets another key's new text gets no more than they have. @throws ApiError 403 */
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
  const message = 'A key gives no later end, no other addresses and no higher rate than it has itself.'
  return new ApiError('looser_than_maker', message, { param })
}
