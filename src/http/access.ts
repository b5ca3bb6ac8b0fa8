/** Who may call a route, and who is calling. */
import type { ApiKeyId, WorkspaceId } from '../store/id.ts'

export const scopes = ['chat', 'admin:read', 'admin:write', 'mcp', '*'] as const
export type Scope = (typeof scopes)[number]

/** open: anybody. key: a key of an end user will do (personal and compatible keys too). scope: a service's key. */
export type Access = OpenAccess | KeyAccess
export interface OpenAccess {
  readonly kind: 'open'
}
export interface KeyAccess {
  readonly kind: 'key' | 'scope'
  readonly scope: Scope
}

export const open: OpenAccess = { kind: 'open' }
export const key = (scope: Scope): KeyAccess => ({ kind: 'key', scope })
export const scope = (wanted: Scope): KeyAccess => ({ kind: 'scope', scope: wanted })

/** The caller, known from its credential. `keyId` is null for SERVICE_COMPAT_KEY, which is no stored key. */
export interface Principal {
  readonly kind: 'service' | 'personal' | 'compat'
  readonly keyId: ApiKeyId | null
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlySet<Scope>
  readonly rateLimitRpm: number | null
  readonly expiresAtMs: number | null
}

export function holds(principal: Principal, wanted: Scope): boolean {
  return principal.scopes.has(wanted) || principal.scopes.has('*')
}
