/**
 * What a caller may hand on: the one place that decides about everything that is a credential. A child has no more than
 * its parent in workspace, scopes, addresses, rate and end, and ends with it.
 */
import type { ApiKeyId, WorkspaceId } from '../../store/id.ts'
import type { Scope } from '../../store/scopes.ts'
import { hasScope, type Principal } from '../access.ts'
import { isNetworkWithin } from '../edge/client-ip.ts'
import { ApiError } from '../error.ts'
import { scopesOfRole } from './permissions.ts'

/** What is asked for. An absent bound is the parent's; null or an empty list asks for none. */
export interface Wish {
  scopes: readonly Scope[]
  expiresAtMs?: number | null | undefined
  allowedIps?: readonly string[] | undefined
  rateLimitRpm?: number | null | undefined
  rateLimitTpm?: number | null | undefined
}

export interface Issued {
  workspaceId: WorkspaceId
  scopes: Scope[]
  expiresAtMs: number | null
  allowedIps: string[]
  rateLimitRpm: number | null
  rateLimitTpm: number | null
  /** The stored key that the child ends with; null: its maker was no stored key. */
  parentId: ApiKeyId | null
}

/** @throws ApiError 403 `scope_beyond_maker`, `looser_than_maker` */
export function issue(parent: Principal, wish: Wish): Issued {
  const beyond = wish.scopes.find((scope) => !mayIssue(parent, scope))
  if (beyond !== undefined) {
    const message = `A credential cannot have a scope that its maker lacks: ${beyond}.`
    throw new ApiError('scope_beyond_maker', message, { param: 'scopes' })
  }
  const bounds = boundsOf(parent)
  const { expiresAtMs = bounds.expiresAtMs, allowedIps = bounds.allowedIps } = wish
  const { rateLimitRpm = bounds.rateLimitRpm, rateLimitTpm = bounds.rateLimitTpm } = wish
  if (isMore(expiresAtMs, bounds.expiresAtMs)) throw looser('expires_at')
  if (isWider(allowedIps, bounds.allowedIps)) throw looser('allowed_ips')
  if (isMore(rateLimitRpm, bounds.rateLimitRpm)) throw looser('rate_limit_rpm')
  if (isMore(rateLimitTpm, bounds.rateLimitTpm)) throw looser('rate_limit_tpm')
  const { workspaceId, keyId } = parent
  return {
    workspaceId,
    scopes: [...wish.scopes],
    expiresAtMs,
    allowedIps: [...allowedIps],
    rateLimitRpm,
    rateLimitTpm,
    parentId: keyId,
  }
}

/**
 * Before anything is made that can carry no bounds, such as people, or what stands in the place of another's credential.
 * @param what completes "… cannot …"
 * @throws ApiError 403 `bounded_key`
 */
export function refuseBounded(parent: Principal, what: string): void {
  if (!isBounded(parent)) return
  const message = `A key with an expiry, allowed addresses or a rate limit cannot ${what}.`
  throw new ApiError('bounded_key', message)
}

/** A session is not: its limits are not those of its operator. */
export function isBounded(parent: Principal): boolean {
  const { expiresAtMs, allowedIps, rateLimitRpm, rateLimitTpm } = boundsOf(parent)
  return expiresAtMs !== null || allowedIps.length > 0 || rateLimitRpm !== null || rateLimitTpm !== null
}

function boundsOf({ operator, expiresAtMs, allowedIps = [], rateLimitRpm, rateLimitTpm = null }: Principal) {
  return operator
    ? { expiresAtMs: null, allowedIps: [], rateLimitRpm: null, rateLimitTpm: null }
    : { expiresAtMs, allowedIps, rateLimitRpm, rateLimitTpm }
}

/** Operators have no scopes: they issue those of their role. */
function mayIssue(parent: Principal, scope: Scope): boolean {
  if (!parent.operator) return hasScope(parent, scope)
  const own = scopesOfRole[parent.operator.role]
  return own.includes('*') || own.includes(scope)
}

/** @param bound null: none */
function isMore(requested: number | null, bound: number | null): boolean {
  return bound !== null && (requested === null || requested > bound)
}

function isWider(requested: readonly string[], bound: readonly string[]): boolean {
  if (bound.length === 0) return false
  return requested.length === 0 || requested.some((network) => !isNetworkWithin(network, bound))
}

function looser(param: string): ApiError {
  const message =
    'A key issues nothing that ends later, may come from other addresses or has a higher rate than itself.'
  return new ApiError('looser_than_maker', message, { param })
}
