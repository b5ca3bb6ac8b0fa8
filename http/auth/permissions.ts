/** What each role may do: one table, against which the access of every admin route is checked. */
import { type Scope, scopes } from '../../store/scopes.ts'

export const roles = ['owner', 'admin', 'operator', 'auditor', 'user'] as const
export type Role = (typeof roles)[number]

/**
 * The roles that have a permission. A key has no role: the scope admin:read gives all permissions that end in `.read`,
 * admin:write the others. `.own` is about the operator's own sessions, keys and factors; no key has it.
 */
const holders = {
  'overview.read': ['owner', 'admin', 'operator', 'auditor'],
  'conversations.read': ['owner', 'admin', 'operator', 'auditor'],
  'conversations.write': ['owner', 'admin', 'operator'],
  'agents.read': ['owner', 'admin', 'operator', 'auditor'],
  'agents.write': ['owner', 'admin'],
  'channels.read': ['owner', 'admin', 'operator', 'auditor'],
  'channels.write': ['owner', 'admin'],
  'deliveries.read': ['owner', 'admin', 'operator', 'auditor'],
  'deliveries.write': ['owner', 'admin', 'operator'],
  'approvals.read': ['owner', 'admin', 'operator', 'auditor'],
  'approvals.decide': ['owner', 'admin', 'operator'],
  'events.read': ['owner', 'admin', 'operator', 'auditor'],
  'keys.read': ['owner', 'admin', 'auditor'],
  'keys.write': ['owner', 'admin'],
  'operators.read': ['owner', 'admin', 'auditor'],
  'operators.write': ['owner', 'admin'],
  'settings.read': ['owner', 'admin', 'operator', 'auditor'],
  'settings.write': ['owner', 'admin'],
  'models.read': ['owner', 'admin', 'operator', 'auditor'],
  'models.write': ['owner'],
  'secrets.read': ['owner', 'admin', 'auditor'],
  'secrets.write': ['owner'],
  'usage.read': ['owner', 'admin', 'operator', 'auditor'],
  'money.read': ['owner', 'admin', 'operator', 'auditor'],
  'money.write': ['owner', 'admin'],
  'media.read': ['owner', 'admin', 'operator', 'auditor'],
  'media.write': ['owner', 'admin', 'operator'],
  'tools.grant': ['owner'],
  'audit.read': ['owner', 'admin', 'auditor'],
  'log.read': ['owner', 'admin', 'operator', 'auditor'],
  'actors.read': ['owner', 'admin', 'operator', 'auditor'],
  'nodes.read': ['owner', 'admin', 'operator', 'auditor'],
  'nodes.write': ['owner'],
  'alerts.read': ['owner', 'admin', 'operator', 'auditor'],
  'alerts.write': ['owner', 'admin'],
  'webhooks.read': ['owner', 'admin', 'operator', 'auditor'],
  'webhooks.write': ['owner', 'admin'],
  'chat.use': ['owner', 'admin', 'operator', 'user'],
  'account.own': ['owner', 'admin', 'operator', 'auditor', 'user'],
  'keys.own': ['owner', 'admin', 'operator', 'user'],
} as const satisfies Record<string, readonly Role[]>

/**
 * Names and holders that are kept for parts to come, so that no two choose differently: nothing asks for them yet. Those of
 * the installation are for callers of the default workspace.
 */
const staff = ['owner', 'admin', 'operator', 'auditor'] as const
const heads = ['owner', 'admin'] as const
export const permissionsToCome = {
  'voice.read': staff,
  'voice.write': heads,
  'federation.read': ['owner', 'admin', 'auditor'],
  'federation.write': ['owner'],
  'scim.read': ['owner', 'admin', 'auditor'],
  'scim.write': ['owner'],
  'knowledge.read': staff,
  'knowledge.write': heads,
  'memory.read': ['owner', 'admin', 'operator'],
  'memory.write': heads,
  'memory.review': ['owner', 'admin', 'operator'],
  'devices.read': staff,
  'devices.write': heads,
  'publishing.read': staff,
  'publishing.write': heads,
  'modules.read': staff,
  'modules.write': ['owner'],
  'artifacts.read': staff,
  'artifacts.write': ['owner', 'admin', 'operator'],
  'evaluation.read': staff,
  'evaluation.write': heads,
  'rollouts.read': staff,
  'rollouts.write': heads,
  'backup.read': heads,
  'backup.write': ['owner'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof holders

export const permissions = Object.keys(holders) as Permission[]

export function roleMay(role: Role, permission: Permission): boolean {
  return (holders[permission] as readonly Role[]).includes(role)
}

/** What an operator of a role can do by keys of their making: a key that lacks one of these makes nobody who has it. */
export const scopesOfRole: Record<Role, readonly Scope[]> = {
  owner: ['*'],
  admin: scopes.filter((scope) => scope !== '*'),
  operator: ['chat', 'admin:read', 'admin:write'],
  auditor: ['admin:read'],
  user: ['chat'],
}

/** Only owners can make others owners. */
export function mayGrant(role: Role, granted: Role): boolean {
  return role === 'owner' || (roleMay(role, 'operators.write') && granted !== 'owner')
}
