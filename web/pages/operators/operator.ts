/** An operator as the API shows it to others, and what one may do with it: what is refused is not offered. */

import type { Session } from '../../api/session.ts'
import type { Answer } from '../../api/types.ts'

export type Operator = Answer<'GET /v1/admin/operators'>['items'][number]
export type Role = Session['role']

export const roles: readonly Role[] = ['owner', 'admin', 'operator', 'auditor', 'user']

export const rolesToGive = (own: Role): Role[] => roles.filter((role) => own === 'owner' || role !== 'owner')

export const mayRole = (role: Role): `${Role}May` => `${role}May`

/** Why nothing is offered; undefined: it may be changed. */
export function obstacleTo(operator: Operator, session: Session): 'ownAccount' | 'beyond' | undefined {
  if (operator.id === session.operator.id) return 'ownAccount'
  return operator.role === 'owner' && session.role !== 'owner' ? 'beyond' : undefined
}
