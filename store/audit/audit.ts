/** The audit log: who changed what, when and from where, written in the transaction of the change. */
import { hash } from 'node:crypto'
import type { Database } from '../database.ts'
import { newAuditId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { auditTargetMax, summaryText } from './change-summary.ts'

export { listAudit } from './list.ts'

/** Who asks for a change, and over which request. */
export interface AuditActor {
  workspaceId: WorkspaceId
  /** An operator's login, a key's id, or the kind of a caller without either. */
  name: string
  ip: string
  requestId: string
}

export interface AuditEntry {
  actor: AuditActor
  /** What was done to what, such as `conversation.fork`. */
  action: string
  /** The id of what was changed or made. */
  target: string | null
  /** The changed fields before and after. Only their digests are kept: the log shows that a value changed, never a secret. */
  before?: object | null | undefined
  after?: object | null | undefined
  /**
   * What of it is kept to be read, named field by field by whoever knows that it is harmless: no secret, and no words of
   * the people who talk to the service. Where `before` and `after` are absent the digests are of these.
   */
  summary?: { before?: object | null; after?: object | null }
}

/**
 * The entry takes its place in the workspace's chain, which stays locked until the transaction ends: so it is the last
 * statement of one, or others wait for those behind it, and two may wait for each other.
 * @param query of the transaction that makes the change: both are committed, or neither
 */
export async function writeAudit(query: Query, entry: AuditEntry): Promise<void> {
  const { actor, action, target, summary: shown } = entry
  const [before, after] = [entry.before ?? shown?.before, entry.after ?? shown?.after]
  await query`
    insert into audit_log (id, workspace_id, actor, action, target, before_digest, after_digest, ip, request_id, detail)
    values (${uuidOf(newAuditId())}, ${uuidOf(actor.workspaceId)}, ${safeText(actor.name)}, ${action},
      ${target === null ? null : safeText(target.slice(0, auditTargetMax))}, ${digestOf(before)}, ${digestOf(after)},
      ${safeText(actor.ip)}, ${safeText(actor.requestId)}, ${summaryText(shown)}::text::jsonb)`
}

/** SHA-256 of the fields as JSON, names in order, in hexadecimal. */
export function digestOf(fields: object | null | undefined): string | null {
  if (fields === null || fields === undefined) return null
  const ordered = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(ordered), 'hex')
}

/**
 * Deletes the oldest entries, of all workspaces: whole days that are older than `before` and than a day, at most `limit`.
 * Each run of them leaves a checkpoint, behind which verification goes on. A broken chain keeps its entries.
 * @returns how many
 */
export async function deleteAuditEntries(db: Database, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`select service_audit_prune(${before}, ${limit}::int) as deleted`
  return row?.deleted ?? 0
}
