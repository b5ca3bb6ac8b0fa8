/** The audit log: who changed what, when and from where, written in the transaction of the change. */
import { hash } from 'node:crypto'
import type { Database } from './database.ts'
import { type AuditId, idFrom, newAuditId, uuidOf, type WorkspaceId } from './id.ts'
import { safeText } from './safe-text.ts'
import type { Query } from './sql.ts'

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
  before?: object | null
  after?: object | null
}

/** @param query of the transaction that makes the change: both are committed, or neither */
export async function writeAudit(query: Query, { actor, action, target, before, after }: AuditEntry): Promise<void> {
  await query`
    insert into audit_log (id, workspace_id, actor, action, target, before_digest, after_digest, ip, request_id)
    values (${uuidOf(newAuditId())}, ${uuidOf(actor.workspaceId)}, ${safeText(actor.name)}, ${action},
      ${target === null ? null : safeText(target)}, ${digestOf(before)}, ${digestOf(after)}, ${safeText(actor.ip)},
      ${safeText(actor.requestId)})`
}

/** SHA-256 of the fields as JSON, names in order, in hexadecimal. */
export function digestOf(fields: object | null | undefined): string | null {
  if (fields === null || fields === undefined) return null
  const ordered = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(ordered), 'hex')
}

export interface AuditRecord {
  id: AuditId
  at: Date
  actor: string
  action: string
  target: string | null
  beforeDigest: string | null
  afterDigest: string | null
  ip: string
  requestId: string
}

interface AuditRow {
  id: string
  at: Date
  actor: string
  action: string
  target: string | null
  before_digest: string | null
  after_digest: string | null
  ip: string
  request_id: string
}

const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. `before` is exclusive. */
export async function listAudit(
  db: Database,
  workspace: WorkspaceId,
  page: { before: AuditId | null; limit: number },
): Promise<AuditRecord[]> {
  const rows = await db.within(workspace)<AuditRow>`
    select id, at, actor, action, target, before_digest, after_digest, ip, request_id from audit_log
    where workspace_id = ${uuidOf(workspace)} and id < ${page.before ? uuidOf(page.before) : newest}::uuid
    order by id desc limit ${page.limit}`
  return rows.map((row) => ({
    id: idFrom('aud', row.id),
    at: row.at,
    actor: row.actor,
    action: row.action,
    target: row.target,
    beforeDigest: row.before_digest,
    afterDigest: row.after_digest,
    ip: row.ip,
    requestId: row.request_id,
  }))
}

/** Deletes entries that are older than `before`, of all workspaces, at most `limit`. @returns how many */
export async function deleteAuditEntries(db: Database, before: Date, limit: number): Promise<number> {
  const rows = await db.system<{ id: string }>`
    delete from audit_log where id in (select id from audit_log where at < ${before} order by id limit ${limit}) returning id`
  return rows.length
}
