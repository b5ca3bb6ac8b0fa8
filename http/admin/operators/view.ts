/** An operator as the API shows them to others in the workspace. */
import { z } from 'zod'
import { OperatorId, type WorkspaceId } from '../../../store/id.ts'
import type { Operator } from '../../../store/operators/operators.ts'
import type { PasswordLink } from '../../auth/password-link.ts'
import { roles } from '../../auth/permissions.ts'

export const OperatorView = z.object({
  id: OperatorId,
  login: z.string(),
  name: z.string(),
  role: z.enum(roles).nullable().describe('In this workspace.'),
  is_disabled: z.boolean(),
  has_password: z.boolean(),
  has_totp: z.boolean(),
  passkeys: z.int(),
  roles_elsewhere: z.int().describe('In how many other workspaces the operator has a role.'),
  created_at: z.iso.datetime(),
  signed_in_at: z.iso.datetime().nullable(),
})
export type OperatorView = z.infer<typeof OperatorView>

export const PasswordLinkView = z.object({
  path: z.string().describe('Below the address of the admin UI. Shown once, for the operator alone; works once.'),
  expires_at: z.iso.datetime(),
})

export function linkViewOf({ path, stored }: PasswordLink): z.infer<typeof PasswordLinkView> {
  return { path, expires_at: stored.expiresAt.toISOString() }
}

export function viewOf(operator: Operator, workspace: WorkspaceId): OperatorView {
  const role = operator.roles.find(({ workspaceId }) => workspaceId === workspace)?.role ?? null
  return {
    id: operator.id,
    login: operator.login,
    name: operator.name,
    role,
    is_disabled: operator.isDisabled,
    has_password: operator.hasPassword,
    has_totp: operator.hasTotp,
    passkeys: operator.passkeys,
    roles_elsewhere: operator.roles.length - (role === null ? 0 : 1),
    created_at: operator.createdAt.toISOString(),
    signed_in_at: operator.signedInAt?.toISOString() ?? null,
  }
}
