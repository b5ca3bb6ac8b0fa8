/** Whether an authenticated caller may use a route: scope, role, workspace, the age of the last proof. */
import { defaultWorkspace } from '../../store/default-workspace.ts'
import { type Access, isPermitted, type Principal } from '../access.ts'
import type { App } from '../app.ts'
import { type ApiError, forbidden } from '../error.ts'
import { confirmationRequired, installationOnly, isConfirmed } from './session-principal.ts'

/** Undefined: the handler may run. */
export function refusalOf(app: App, access: Access, principal: Principal): ApiError | undefined {
  const refusal = permissionRefusal(app, access, principal)
  if (refusal) return refusal
  const isDangerous = (access.kind === 'admin' || access.kind === 'own') && access.isDangerous
  return isDangerous && !isConfirmed(principal, app.clock.now()) ? confirmationRequired() : undefined
}

/** Whether a stream or socket may stay open for this caller. The age of the last proof does not matter for that. */
export function isStillPermitted(app: App, access: Access, principal: Principal): boolean {
  return !permissionRefusal(app, access, principal)
}

function permissionRefusal(app: App, access: Access, principal: Principal): ApiError | undefined {
  if (access.kind === 'open' || access.kind === 'inbound' || access.kind === 'webhook') return undefined
  if (!isPermitted(principal, access)) {
    const { operator } = principal
    if (operator) return forbidden(`The role ${operator.role} lacks the permission ${access.permission}.`)
    return forbidden(
      access.kind === 'own'
        ? 'This is for operators with a session; a key has no account.'
        : `This key lacks the scope ${access.scope}.`,
    )
  }
  const isElsewhere =
    access.kind === 'admin' && access.isInstallation && principal.workspaceId !== defaultWorkspace(app)
  return isElsewhere ? installationOnly() : undefined
}
