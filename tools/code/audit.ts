/** Writes into the audit log that code is about to run, and in which sandbox: how well it was contained must be known afterwards. */
import { writeAudit } from '../../store/audit/audit.ts'
import type { Database } from '../../store/database.ts'
import type { ToolContext } from '../tool.ts'
import type { SandboxName } from './sandbox.ts'

/**
 * Before the run, so that one which a crash cuts short stands there too. Never the code. The turn stands where a request does.
 * @throws what the store throws; the code is not to be run then
 */
export async function auditRun(
  db: Database,
  { workspaceId, turnId }: Pick<ToolContext, 'workspaceId' | 'turnId'>,
  run: { sandbox: SandboxName; language: string },
): Promise<void> {
  const actor = { workspaceId, name: 'agent', ip: '', requestId: turnId }
  const entry = { actor, action: 'tool.code_exec', target: turnId, shown: { after: run } }
  await db.transaction(workspaceId, (query) => writeAudit(query, entry))
}
