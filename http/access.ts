/** Who may call a route, and who calls it. */
import type { ApiKeyId, ConversationId, OperatorId, SessionId, WorkspaceId } from '../store/id.ts'
import { type Permission, type Role, roleMay } from './auth/permissions.ts'

export const scopes = ['chat', 'admin:read', 'admin:write', 'mcp', '*'] as const
export type Scope = (typeof scopes)[number]

/**
 * open: anybody. inbound: whoever has the inbound secret. web: a ticket, a key or an operator. key: any key with the scope,
 * or an operator. admin: a key with the scope, or an operator whose role has the permission. own: an operator, about their
 * own account.
 */
export type Access = OpenAccess | InboundAccess | WebAccess | KeyAccess | AdminAccess | OwnAccess
export interface OpenAccess {
  readonly kind: 'open'
}
/** A connector, by the header X-Service-Inbound-Secret. */
export interface InboundAccess {
  readonly kind: 'inbound'
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
/** @param permission required of an operator, who has no ticket and can name any conversation */
export const web = (permission: 'conversations.read' | 'conversations.write'): WebAccess => ({
  kind: 'web',
  scope: 'chat',
  permission,
})
export const key = (scope: Scope): KeyAccess => ({ kind: 'key', scope, permission: 'chat.use' })
export const admin = (
  permission: Permission,
  options: { isDangerous?: boolean; isInstallation?: boolean } = {},
): AdminAccess => ({
  kind: 'admin',
  scope: permission.endsWith('.read') ? 'admin:read' : 'admin:write',
  permission,
  isDangerous: options.isDangerous ?? false,
  isInstallation: options.isInstallation ?? false,
})
export const own = (
  permission: 'account.own' | 'keys.own' = 'account.own',
  options: { isDangerous?: boolean } = {},
): OwnAccess => ({ kind: 'own', permission, isDangerous: options.isDangerous ?? false })

/** The caller, found by its credential. `keyId` is null for SERVICE_COMPAT_KEY, which is not a stored key. */
export interface Principal {
  readonly kind: 'service' | 'personal' | 'compat' | 'ticket' | 'operator'
  readonly keyId: ApiKeyId | null
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlySet<Scope>
  readonly rateLimitRpm: number | null
  readonly expiresAtMs: number | null
  /** Of a ticket: the one conversation that it is valid for. */
  readonly conversationId?: ConversationId
  /** Of a ticket: the conversation is created with its first message. */
  readonly isNewConversation?: boolean
  /** Of a session: its operator. */
  readonly operator?: SignedIn
  /** Of a key: the networks it may be used from; empty or absent: any. */
  readonly allowedIps?: readonly string[]
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

/** Whether the caller's scopes or role permit a route of this access. */
export function isPermitted(principal: Principal, access: Exclude<Access, OpenAccess | InboundAccess>): boolean {
  if (principal.operator) return roleMay(principal.operator.role, access.permission)
  return access.kind !== 'own' && hasScope(principal, access.scope)
}
