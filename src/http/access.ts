/** Who may call a route, and who is calling. */
import type { ApiKeyId, ConversationId, WorkspaceId } from '../store/id.ts'

export const scopes = ['chat', 'admin:read', 'admin:write', 'mcp', '*'] as const
export type Scope = (typeof scopes)[number]

/** open: anybody. inbound: whoever has the inbound secret. web: a ticket or a key. key: a key of an end user will do (personal and compatible keys too). scope: a service's key. */
export type Access = OpenAccess | InboundAccess | WebAccess | KeyAccess
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
}
export interface KeyAccess {
  readonly kind: 'key' | 'scope'
  readonly scope: Scope
}

export const open: OpenAccess = { kind: 'open' }
export const inbound: InboundAccess = { kind: 'inbound' }
export const web: WebAccess = { kind: 'web', scope: 'chat' }
export const key = (scope: Scope): KeyAccess => ({ kind: 'key', scope })
export const scope = (wanted: Scope): KeyAccess => ({ kind: 'scope', scope: wanted })

/** The caller, known from its credential. `keyId` is null for SERVICE_COMPAT_KEY, which is no stored key. */
export interface Principal {
  readonly kind: 'service' | 'personal' | 'compat' | 'ticket'
  readonly keyId: ApiKeyId | null
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlySet<Scope>
  readonly rateLimitRpm: number | null
  readonly expiresAtMs: number | null
  /** Of a ticket: the one conversation that it is good for. */
  readonly conversationId?: ConversationId
  /** Of a ticket: that conversation is made with its first message. */
  readonly isNewConversation?: boolean
}

export function holds(principal: Principal, wanted: Scope): boolean {
  return principal.scopes.has(wanted) || principal.scopes.has('*')
}
