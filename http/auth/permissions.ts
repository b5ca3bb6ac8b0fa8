/** What each role may do: one table, against which the access of every admin route is checked. */

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
  'audit.read': ['owner', 'admin', 'auditor'],
  'log.read': ['owner', 'admin', 'operator', 'auditor'],
  'actors.read': ['owner', 'admin', 'operator', 'auditor'],
  'chat.use': ['owner', 'admin', 'operator', 'user'],
  'account.own': ['owner', 'admin', 'operator', 'auditor', 'user'],
  'keys.own': ['owner', 'admin', 'operator', 'user'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof holders

export const permissions = Object.keys(holders) as Permission[]

export function roleMay(role: Role, permission: Permission): boolean {
  return (holders[permission] as readonly Role[]).includes(role)
}

/** Only owners can make others owners. */
export function mayGrant(role: Role, granted: Role): boolean {
  return role === 'owner' || (roleMay(role, 'operators.write') && granted !== 'owner')
}
