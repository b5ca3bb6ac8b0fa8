/** Entries of the audit log for tests, and somebody who owns the tables and changes what they like. */

import { type AuditEntry, writeAudit } from '../../../store/audit/audit.ts'
import type { Database } from '../../../store/database.ts'
import { firstWorkspaceId, uuidOf, type WorkspaceId } from '../../../store/id.ts'
import type { DatabaseAddress } from '../../../store/postgres/address.ts'
import { openPool } from '../../../store/postgres/pool.ts'

export function auditActor(workspaceId: WorkspaceId = firstWorkspaceId) {
  return { workspaceId, name: 'anna', ip: '192.0.2.1', requestId: 'req-1' }
}

export async function audited(db: Database, entry: Partial<AuditEntry> = {}): Promise<void> {
  const whole = { actor: auditActor(), action: 'test.change', target: null, ...entry }
  await db.transaction(whole.actor.workspaceId, (query) => writeAudit(query, whole))
}

/** Statements of the login that owns the tables, with the triggers of the log switched off for them. */
export function tamperer(address: DatabaseAddress): (statement: string) => Promise<void> {
  return async (statement) => {
    const driver = openPool(address, { name: 'tests', connectionsMax: 1, statementMs: 0 })
    await driver.unsafe(
      `alter table audit_log disable trigger user; ${statement}; alter table audit_log enable trigger user`,
    )
    await driver.end({ timeout: 2 })
  }
}

/** Entries of many days ago, the oldest first, one a day. */
export async function ancient(
  db: Database,
  oldestDays: number,
  count: number,
  workspace = firstWorkspaceId,
): Promise<void> {
  await db.system`
    insert into audit_log (id, workspace_id, actor, action, ip, request_id, at)
    select gen_random_uuid(), ${uuidOf(workspace)}, 'anna', 'test.old', '', '', now() - make_interval(days => ${oldestDays}::int - n)
    from generate_series(0, ${count - 1}::int) as n order by n`
}
