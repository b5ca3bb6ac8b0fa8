/** Whom a caller may change: nobody above them, and no account that is at home where they are not. */
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
  /** What the caller is there; a key stands for an admin, and one with every scope for an owner. */
  roleIn(workspace: WorkspaceId): Role | undefined
}

export async function managerOf(app: App, principal: Principal): Promise<Manager> {
  const { workspaceId, operator } = principal
  if (!operator) {
    const role = hasScope(principal, '*') ? 'owner' : 'admin'
    return { self: null, workspaceId, roleIn: (workspace) => (workspace === workspaceId ? role : undefined) }
  }
  const held = new Map((await readOperator(app.db, operator.id))?.roles.map((each) => [each.workspaceId, each.role]))
  return { self: operator.id, workspaceId, roleIn: (workspace) => held.get(workspace) }
}

/** @throws ApiError 403 for a role that the caller may neither give nor take */
export function refuseRole(reach: Manager, role: Role): void {
  const own = reach.roleIn(reach.workspaceId)
  if (own && mayGrant(own, role)) return
  throw refused('role_beyond_maker', `Only an owner makes or changes an operator with the role ${role}.`)
}

/** @throws ApiError 404 for an operator without a role in the workspace: for others there is none such here */
export function roleInWorkspace({ workspaceId }: Manager, { roles }: LockedOperator): Role {
  const held = roles.find((each) => each.workspaceId === workspaceId)
  if (!held) throw unknownOperator()
  return held.role
}

/**
 * The account itself (its name, its password, whether it may sign in) is in question, and with it every role that it holds.
 * @throws ApiError 403, 404
 */
export function refuseAccount(reach: Manager, operator: LockedOperator): void {
  refuseRole(reach, roleInWorkspace(reach, operator))
  const isBeyond = operator.roles.some(({ workspaceId, role }) => {
    const own = reach.roleIn(workspaceId)
    return !own || !mayGrant(own, role)
  })
  if (isBeyond)
    throw refused(
      'role_elsewhere',
      'This operator holds a role in a workspace where you may not change it; take away the role in this one instead.',
    )
}

/** @throws ApiError 403 for one's own account */
export function refuseSelf({ self }: Manager, id: OperatorId, what: string): void {
  if (self === id) throw refused('own_account', `Nobody ${what}; ask another owner or admin.`)
}

export const unknownOperator = (): ApiError => notFound('There is no such operator in this workspace.')

const refused = (code: ClientCode, message: string): ApiError => new ApiError(code, message)
