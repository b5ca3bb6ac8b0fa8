/** Whom a caller may manage: nobody with a higher role, and no account with roles in workspaces where the caller has none. */
import type { OperatorId, WorkspaceId } from '../../../store/id.ts'
import type { LockedOperator } from '../../../store/operators/changes.ts'
import { readOperator } from '../../../store/operators/operators.ts'
import { hasScope, type Principal } from '../../access.ts'
import type { App } from '../../app.ts'
import { refuseBounded } from '../../auth/issue.ts'
import { mayGrant, type Role, scopesOfRole } from '../../auth/permissions.ts'
import { ApiError, type ClientCode, notFound } from '../../error.ts'

export interface Manager {
  /** The caller's own account; null for a key. */
  readonly self: OperatorId | null
  readonly workspaceId: WorkspaceId
  /** Whether the caller may give or take this role there. */
  mayGrant(role: Role, workspace: WorkspaceId): boolean
}

/** @throws ApiError 403 for a key with bounds: a person has none, and would outlive it */
export async function managerOf(app: App, principal: Principal): Promise<Manager> {
  const { workspaceId, operator } = principal
  if (!operator) {
    refuseBounded(principal, 'manage operators')
    return {
      self: null,
      workspaceId,
      mayGrant: (role, workspace) =>
        workspace === workspaceId && scopesOfRole[role].every((scope) => hasScope(principal, scope)),
    }
  }
  const roles = (await readOperator(app.db, operator.id))?.roles.map((each) => [each.workspaceId, each.role] as const)
  const roleByWorkspace = new Map(roles)
  return {
    self: operator.id,
    workspaceId,
    mayGrant(role, workspace) {
      const own = roleByWorkspace.get(workspace)
      return own !== undefined && mayGrant(own, role)
    },
  }
}

/** @throws ApiError 403 for a role that the caller may neither grant nor remove */
export function refuseRole(manager: Manager, role: Role): void {
  if (manager.mayGrant(role, manager.workspaceId)) return
  const message =
    manager.self === null
      ? `A key manages operators with the role ${role} only if it has these scopes too: ${scopesOfRole[role].join(', ')}.`
      : `Only an owner can create or change an operator with the role ${role}.`
  throw refused('role_beyond_maker', message)
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
  const isBeyond = operator.roles.some(({ workspaceId, role }) => !manager.mayGrant(role, workspaceId))
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
