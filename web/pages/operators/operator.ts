/** An operator in the API, and the actions on it that the service would allow. */

import type { Session } from '../../api/session.ts'
import type { Answer } from '../../api/types.ts'

export type Operator = Answer<'GET /v1/admin/operators'>['items'][number]
export type Role = Session['role']

export const roles: readonly Role[] = ['owner', 'admin', 'operator', 'auditor', 'user']

export const grantableRoles = (own: Role): Role[] => roles.filter((role) => own === 'owner' || role !== 'owner')

export const mayRole = (role: Role): `${Role}May` => `${role}May`

/** Why no action is offered; undefined: the operator may be changed. */
export function obstacleTo(operator: Operator, session: Session): 'ownAccount' | 'beyond' | undefined {
  if (operator.id === session.operator.id) return 'ownAccount'
  return operator.role === 'owner' && session.role !== 'owner' ? 'beyond' : undefined
}

/** The whole address of a one-time link: its page is on this server. */
export function linkOf(link: { path: string } | null): string | null {
  return link && location.origin + link.path
}
