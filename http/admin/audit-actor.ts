/** The actor of a change, for the audit log. */
import type { AuditActor } from '../../store/audit/audit.ts'
import type { Principal } from '../access.ts'
import type { Call } from '../call.ts'

export function auditActor(
  call: Pick<Call<unknown, unknown, unknown, Principal>, 'principal' | 'clientIp' | 'requestId'>,
): AuditActor {
  const { principal, clientIp, requestId } = call
  return {
    workspaceId: principal.workspaceId,
    name: principal.operator?.login ?? principal.keyId ?? principal.kind,
    ip: clientIp,
    requestId,
  }
}
