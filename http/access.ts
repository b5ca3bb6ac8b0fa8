/** Who may call a route, and who calls it. */
import type { TokenRate } from '../actors/usage/token-rates.ts'
import type { ApiKeyId, ConversationId, OperatorId, SessionId, WorkspaceId } from '../store/id.ts'
import type { OwnerId } from '../store/owner-id.ts'
import type { Scope } from '../store/scopes.ts'
import { type Permission, type Role, roleMay } from './auth/permissions.ts'
import { type PrincipalKindName, principalKinds } from './auth/principal-kinds.ts'
import type { SignedUse } from './media/signed-urls.ts'

/**
 * open: anybody. signed: whoever has an address that the service signed, and else as web. inbound: whoever has the inbound secret. webhook: whoever has the secret of the channel in the path. web: a ticket, a key or an operator. key: any key with the scope,
 * or an operator. admin: a key with the scope, or an operator whose role has the permission. own: an operator, about their
 * own account.
 */
export type Access =
  | OpenAccess
  | SignedAccess
  | InboundAccess
  | WebhookAccess
  | WebAccess
  | KeyAccess
  | AdminAccess
  | OwnAccess
export interface OpenAccess {
  readonly kind: 'open'
}
/** One thing, by an address with a signature for that use; or by a ticket, a key or an operator. */
export interface SignedAccess {
  readonly kind: 'signed'
  readonly use: SignedUse
  readonly scope: Scope
  readonly permission: Permission
}
/** A connector, by the header X-Service-Inbound-Secret. */
export interface InboundAccess {
  readonly kind: 'inbound'
}
/** A messenger, by the header that its bot API was told. */
export interface WebhookAccess {
  readonly kind: 'webhook'
}
/** A web chat: a ticket for its conversation, or a key with the scope. */
export interface WebAccess {
  readonly kind: 'web'
  readonly scope: Scope
  readonly permission: Permission
}
export interface KeyAccess {
  readonly kind: 'key'
  readonly scope: Scope
  readonly permission: Permission
}
export interface AdminAccess {
  readonly kind: 'admin'
  readonly scope: Scope
  readonly permission: Permission
  /** An operator must have proved within the last ten minutes who they are. */
  readonly isDangerous: boolean
  /** Concerns the whole installation, not one workspace: for callers of the default workspace only. */
  readonly isInstallation: boolean
}
export interface OwnAccess {
  readonly kind: 'own'
  readonly permission: Permission
  readonly isDangerous: boolean
}

export const open: OpenAccess = { kind: 'open' }
export const inbound: InboundAccess = { kind: 'inbound' }
export const webhook: WebhookAccess = { kind: 'webhook' }
/** Routes whose callers have no account here. */
export type StrangerAccess = OpenAccess | InboundAccess | WebhookAccess
/** @param permission required of an operator, who has no ticket */
export const web = (permission: 'conversations.read' | 'conversations.write' | 'chat.use'): WebAccess => ({
  kind: 'web',
  scope: 'chat',
  permission,
})
export const signed = (use: SignedUse): SignedAccess => ({ kind: 'signed', use, scope: 'chat', permission: 'chat.use' })
export const key = (scope: Scope): KeyAccess => ({ kind: 'key', scope, permission: 'chat.use' })
export const admin = (
  permission: Permission,
  options: { isDangerous?: boolean; isInstallation?: boolean } = {},
): AdminAccess => ({
  kind: 'admin',
  scope: keyScopeOf(permission),
  permission,
  isDangerous: options.isDangerous ?? false,
  isInstallation: options.isInstallation ?? false,
})
/** What a key needs. A key has no role: for what owners alone may do, it needs every scope; to manage people, a scope of its own. */
function keyScopeOf(permission: Permission): Scope {
  if (!roleMay('admin', permission)) return '*'
  if (permission === 'operators.write') return 'operators:write'
  return permission.endsWith('.read') ? 'admin:read' : 'admin:write'
}

export const own = (
  permission: 'account.own' | 'keys.own' = 'account.own',
  options: { isDangerous?: boolean } = {},
): OwnAccess => ({ kind: 'own', permission, isDangerous: options.isDangerous ?? false })

/** How many requests a minute a stored key may make. */
export interface KeyRate {
  readonly keyId: ApiKeyId
  readonly rateLimitRpm: number
}

/** The caller, found by its credential. `keyId` is null for SERVICE_COMPAT_KEY, which is not a stored key. */
export interface Principal {
  readonly kind: PrincipalKindName
  readonly keyId: ApiKeyId | null
  readonly workspaceId: WorkspaceId
  /** Whose the conversations are that it begins; of a ticket: its maker. */
  readonly owner: OwnerId
  readonly scopes: ReadonlySet<Scope>
  readonly rateLimitRpm: number | null
  readonly expiresAtMs: number | null
  /** Where its requests count on the rate of another key: of a rotated key the one before it, of a ticket that which made it. */
  readonly rateKeyId?: ApiKeyId | null
  /** Of a ticket: the key that made it, on whose usage and budgets its turns count. */
  readonly payingKeyId?: ApiKeyId | null
  /** Of a ticket: the one conversation that it is valid for. */
  readonly conversationId?: ConversationId
  /** Of a ticket: the conversation is created with its first message. */
  readonly isNewConversation?: boolean
  /** Of a session: its operator. */
  readonly operator?: SignedIn
  /** Of a key: the networks it may be used from; empty or absent: any. */
  readonly allowedIps?: readonly string[]
  /** Of a key made with other keys: the limits of those, on which its requests count too. */
  readonly sharedRates?: readonly KeyRate[]
  /** Of a key: how many tokens a minute it may use. */
  readonly rateLimitTpm?: number | null
  /** That limit and those of the keys that it was made with; absent: none. */
  readonly tokenRates?: readonly TokenRate[]
}

/** An operator with a session. */
export interface SignedIn {
  readonly id: OperatorId
  readonly sessionId: SessionId
  readonly login: string
  readonly role: Role
  /** Sent by our pages with each write. */
  readonly csrfToken: string
  /** When they last proved who they are, in wall-clock time. */
  readonly confirmedAtMs: number
}

/** The caller of a route that only operators may call. */
export type OperatorPrincipal = Principal & { readonly operator: SignedIn }

export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.has(scope) || principal.scopes.has('*')
}

/** Whether the caller's kind, and its scopes or role, permit a route of this access. */
export function isPermitted(principal: Principal, access: Exclude<Access, StrangerAccess>): boolean {
  if (principal.operator) return roleMay(principal.operator.role, access.permission)
  if (access.kind === 'own' || (access.kind === 'admin' && !principalKinds[principal.kind].administers)) return false
  return hasScope(principal, access.scope)
}
