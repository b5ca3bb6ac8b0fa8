/** Which conversations a caller reaches, asked by every surface that names one. */
import type { Reach } from '../../store/owner-id.ts'
import type { Principal } from '../access.ts'
import { roleMay } from './permissions.ts'
import { principalKinds } from './principal-kinds.ts'

/**
 * A personal key reaches its operator's conversations only, whatever their role; so does a session whose role may not read
 * the others'. A service's key reaches all of its workspace. A ticket has its one conversation besides.
 */
export function reachOf(principal: Principal): Reach {
  const { kind, workspaceId, owner, operator } = principal
  const isOwnOnly =
    principalKinds[kind].reaches === 'owner' ||
    (operator !== undefined && !roleMay(operator.role, 'conversations.read'))
  return { workspaceId, owner: isOwnOnly ? owner : null }
}
