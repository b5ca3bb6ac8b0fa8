/** Whom a caller may manage: nobody with a higher role, and no account with roles in workspaces where the caller has none. */
import type { OperatorId, WorkspaceId } from '../../../store/id.ts'
import type { LockedOperator } from '../../../store/operators/changes.ts'
import { readOperator } from '../../../store/operators/operators.ts'
import { hasScope, type Principal } from '../../access.ts'
import type { App } from '../../app.ts'
import { mayGrant, type Role } from '../../auth/permissions.ts'
import { ApiError, type ClientCode, notFound } from '../../error.ts'

export interface Manager {
  /** The caller's own account; null for a key. */
  readonly self: OperatorId | null
  readonly workspaceId: WorkspaceId
  /** The caller's role there. A key counts as an admin, one with every scope as an owner. */
  roleIn(workspace: WorkspaceId): Role | undefined
}

export async function managerOf(app: App, principal: Principal): Promise<Manager> {
  const { workspaceId, operator } = principal
  if (!operator) {
    const role = hasScope(principal, '*') ? 'owner' : 'admin'
    return { self: null, workspaceId, roleIn: (workspace) => (workspace === workspaceId ? role : undefined) }
  }
  const roles = (await readOperator(app.db, operator.id))?.roles.map((each) => [each.workspaceId, each.role] as const)
  const roleByWorkspace = new Map(roles)
  return { self: operator.id, workspaceId, roleIn: (workspace) => roleByWorkspace.get(workspace) }
}

/** @throws ApiError 403 for a role that the caller may neither grant nor remove */
export function refuseRole(manager: Manager, role: Role): void {
  const own = manager.roleIn(manager.workspaceId)
  if (own && mayGrant(own, role)) return
  throw refused('role_beyond_maker', `Only an owner can create or change an operator with the role ${role}.`)
}

/** @throws ApiError 404 for an operator without a role in the workspace, who is not visible here */
export function roleInWorkspace({ workspaceId }: Manager, { roles }: LockedOperator): Role {
  const membership = roles.find((each) => each.workspaceId === workspaceId)
  if (!membership) throw unknownOperator()
  return membership.role
}

/**
 * For changes of the account itself (name, password, whether it may sign in), which concern every workspace of the operator.
 * @throws ApiError 403, 404
 */
export function refuseAccount(manager: Manager, operator: LockedOperator): void {
  refuseRole(manager, roleInWorkspace(manager, operator))
  const isBeyond = operator.roles.some(({ workspaceId, role }) => {
    const own = manager.roleIn(workspaceId)
    return !own || !mayGrant(own, role)
  })
  if (isBeyond)
    throw refused(
      'role_elsewhere',
      'This operator has a role in a workspace where you may not change it; remove the role in this one instead.',
    )
}

/** @throws ApiError 403 for one's own account */
export function refuseSelf({ self }: Manager, id: OperatorId, what: string): void {
  if (self === id) throw refused('own_account', `Nobody ${what}; ask another owner or admin.`)
}

export const unknownOperator = (): ApiError => notFound('There is no such operator in this workspace.')

const refused = (code: ClientCode, message: string): ApiError => new ApiError(code, message)
