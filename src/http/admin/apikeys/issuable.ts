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
