/** The audit log as it is read: newest first in pages, or from the oldest on for an export. */

import type { Database } from '../database.ts'
import { type AuditId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { auditTargetMax } from './change-summary.ts'

export interface AuditRecord {
  id: AuditId
  /** Its place in the workspace's chain. */
  seq: number
  /** ISO 8601 in UTC with microseconds, as it is hashed. */
  at: string
  actor: string
  action: string
  target: string | null
  beforeDigest: string | null
  afterDigest: string | null
  ip: string
  requestId: string
  detail: { before: unknown; after: unknown } | null
  /** The same as it is hashed. */
  detailText: string | null
  /** Hexadecimal, of the entry before it and of this one. */
  prevHash: string
  hash: string
}

/** Null: any. */
export interface AuditFilter {
  actor: string | null
  /** Beginning of the action, such as `channel.`. */
  action: string | null
  target: string | null
  /** Inclusive. */
  from: Date | null
  /** Exclusive. */
  to: Date | null
}

const everything: AuditFilter = { actor: null, action: null, target: null, from: null, to: null }

interface AuditRow {
  id: string
  seq: string
  at: string
  actor: string
  action: string
  target: string | null
  before_digest: string | null
  after_digest: string | null
  ip: string
  request_id: string
  detail: AuditRecord['detail']
  detail_text: string | null
  prev_hash: string
  hash: string
}

const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Sorts behind every text that begins with the same letters. */
const afterAll = '\u{10ffff}'

/** Newest first. `before` is exclusive. */
export async function listAudit(
  db: Database,
  workspace: WorkspaceId,
  page: { before: AuditId | null; limit: number },
  filter: AuditFilter = everything,
): Promise<AuditRecord[]> {
  const { actor, action, target, from, to } = bindable(filter)
  const rows = await db.forWorkspace(workspace)<AuditRow>`
    select id, seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action, target, before_digest,
      after_digest, ip, request_id, detail, detail::text as detail_text, encode(prev_hash, 'hex') as prev_hash, encode(hash, 'hex') as hash
    from audit_log
    where workspace_id = ${uuidOf(workspace)} and id < ${page.before ? uuidOf(page.before) : newest}::uuid
      and (${actor}::text is null or actor = ${actor}::text)
      and (${action}::text is null or (action ~>=~ ${action}::text and action ~<~ ${action && action + afterAll}::text))
      and (${target}::text is null or (target = ${target}::text and length(target) <= 500))
      and (${from}::timestamptz is null or audit_log.at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or audit_log.at < ${to}::timestamptz)
    order by id desc limit ${page.limit}`
  return rows.map(recordFrom)
}

/** In the order of the chain. `after` is exclusive; `upTo` is inclusive, so that an export of a log that grows has an end. */
export async function auditEntriesAfter(
  db: Database,
  workspace: WorkspaceId,
  filter: AuditFilter,
  page: { after: number; upTo: number; limit: number },
): Promise<AuditRecord[]> {
  const { actor, action, target, from, to } = bindable(filter)
  const rows = await db.forWorkspace(workspace)<AuditRow>`
    select id, seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action, target, before_digest,
      after_digest, ip, request_id, detail, detail::text as detail_text, encode(prev_hash, 'hex') as prev_hash, encode(hash, 'hex') as hash
    from audit_log
    where workspace_id = ${uuidOf(workspace)} and seq > ${page.after} and seq <= ${page.upTo}
      and (${actor}::text is null or actor = ${actor}::text)
      and (${action}::text is null or (action ~>=~ ${action}::text and action ~<~ ${action && action + afterAll}::text))
      and (${target}::text is null or (target = ${target}::text and length(target) <= 500))
      and (${from}::timestamptz is null or audit_log.at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or audit_log.at < ${to}::timestamptz)
    order by seq limit ${page.limit}`
  return rows.map(recordFrom)
}

/** The newest place in the chain; 0 for an empty log. */
export async function newestAuditSeq(db: Database, workspace: WorkspaceId): Promise<number> {
  const [row] = await db.forWorkspace(workspace)<{ seq: string | null }>`
    select max(seq) as seq from audit_log where workspace_id = ${uuidOf(workspace)}`
  return Number(row?.seq ?? 0)
}

function bindable({ actor, action, target, from, to }: AuditFilter): AuditFilter {
  return {
    actor: actor && safeText(actor),
    action: action && safeText(action),
    target: target && safeText(target.slice(0, auditTargetMax)),
    from,
    to,
  }
}

function recordFrom(row: AuditRow): AuditRecord {
  return {
    id: idFrom('aud', row.id),
    seq: Number(row.seq),
    at: row.at,
    actor: row.actor,
    action: row.action,
    target: row.target,
    beforeDigest: row.before_digest,
    afterDigest: row.after_digest,
    ip: row.ip,
    requestId: row.request_id,
    detail: row.detail,
    detailText: row.detail_text,
    prevHash: row.prev_hash,
    hash: row.hash,
  }
}
