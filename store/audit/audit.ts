/** The audit log: who changed what, when and from where. An entry is written in the transaction of its change. */
import { hash } from 'node:crypto'
import type { Database } from '../database.ts'
import { newAuditId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { auditTargetMax, summaryText } from './change-summary.ts'

export { listAudit } from './list.ts'

/** Who makes a change, and by which request. */
export interface AuditActor {
  workspaceId: WorkspaceId
  /** An operator's login, a key's id, or the kind of a caller that has neither. */
  name: string
  ip: string
  requestId: string
}

export interface AuditEntry {
  actor: AuditActor
  /** What was done to what, such as `conversation.fork`. */
  action: string
  /** The id of what was changed or created. */
  target: string | null
  /** The changed fields before and after. Only their digests are stored: they show that a value changed, never a secret. */
  before?: object | null | undefined
  after?: object | null | undefined
  /**
   * The readable part, chosen field by field: no secret, and no text of the people who use the service. Where `before` and
   * `after` are absent, the digests are of these.
   */
  summary?: { before?: object | null; after?: object | null }
}

/**
 * An event tells whoever follows the workspace and may read the log. The entry gets its place in the workspace's chain, which stays locked until the transaction ends. So this is the last
 * statement of a transaction: otherwise others wait for the statements after it, and two may deadlock.
 * @param query of the transaction that makes the change
 */
export async function writeAudit(query: Query, entry: AuditEntry): Promise<void> {
  const { actor, action, target, summary } = entry
  const before = entry.before ?? summary?.before
  const after = entry.after ?? summary?.after
  const id = uuidOf(newAuditId())
  const shortTarget = target === null ? null : safeText(target.slice(0, auditTargetMax))
  await query`
    with event as (
      insert into events (workspace_id, kind, subject, payload)
      values (${uuidOf(actor.workspaceId)}, 'audit.added', ${id}, ${JSON.stringify({ action, target: shortTarget })}::text::json)
    )
    insert into audit_log (id, workspace_id, actor, action, target, before_digest, after_digest, ip, request_id, detail)
    values (${id}, ${uuidOf(actor.workspaceId)}, ${safeText(actor.name)}, ${action}, ${shortTarget}, ${digestOf(before)}, ${digestOf(after)},
      ${safeText(actor.ip)}, ${safeText(actor.requestId)}, ${summaryText(summary)}::text::jsonb)`
}

/** SHA-256 of the fields as JSON, names in order, in hexadecimal. */
export function digestOf(fields: object | null | undefined): string | null {
  if (fields === null || fields === undefined) return null
  const ordered = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(ordered), 'hex')
}

/**
 * Deletes the oldest entries, of all workspaces: whole days that are older than `before` and than a day, at most `limit`.
 * Each deletion leaves a checkpoint, from which verification goes on. Nothing is deleted from a broken chain.
 * @returns how many
 */
export async function deleteAuditEntries(db: Database, before: Date, limit: number): Promise<number> {
  const [row] = await db.system<{ deleted: number }>`select service_audit_prune(${before}, ${limit}::int) as deleted`
  return row?.deleted ?? 0
}
