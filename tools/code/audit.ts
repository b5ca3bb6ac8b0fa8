/** Records in the audit log that code is about to run, and in which sandbox: later it must be known how well it was contained. */
import { writeAudit } from '../../store/audit/audit.ts'
import type { Database } from '../../store/database.ts'
import type { ToolContext } from '../tool.ts'
import type { SandboxName } from './sandbox.ts'

/**
 * Before the run, so that one which a crash ends is recorded too. Never the code. The turn's id is the request id.
 * @throws what the store throws; then the code must not be run
 */
export async function auditRun(
  db: Database,
  { workspaceId, turnId }: Pick<ToolContext, 'workspaceId' | 'turnId'>,
  run: { sandbox: SandboxName; language: string },
): Promise<void> {
  const actor = { workspaceId, name: 'agent', ip: '', requestId: turnId }
  const entry = { actor, action: 'tool.code_exec', target: turnId, summary: { after: run } }
  await db.transaction(workspaceId, (query) => writeAudit(query, entry))
}
