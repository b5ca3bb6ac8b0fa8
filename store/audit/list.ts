/** Reads of the audit log: pages newest first, or from the oldest on for an export. */

import type { Database } from '../database.ts'
import { type AuditId, idFrom, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { type Fragment, sql } from '../postgres/sql.ts'
import { auditTargetMax } from './change-summary.ts'

export interface AuditRecord {
  id: AuditId
  /** Its place in the workspace's chain. */
  seq: number
  /** ISO 8601 in UTC with microseconds: the text that is hashed. */
  at: string
  actor: string
  action: string
  target: string | null
  beforeDigest: string | null
  afterDigest: string | null
  ip: string
  requestId: string
  detail: { before: unknown; after: unknown } | null
  /** `detail` as the text that is hashed. */
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

type AuditRow = Omit<RowOf<AuditRecord>, 'seq'> & { seq: string }

const columns = sql`id, seq, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action, target,
  before_digest as "beforeDigest", after_digest as "afterDigest", ip, request_id as "requestId", detail,
  detail::text as "detailText", encode(prev_hash, 'hex') as "prevHash", encode(hash, 'hex') as hash`

const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Appended to a prefix it sorts behind every text with that prefix. */
const lastCharacter = '\u{10ffff}'

const oldest = '00000000-0000-0000-0000-000000000000'

/** Newest first. `before` is exclusive; `only`: this entry alone. */
export async function listAudit(
  db: Database,
  workspace: WorkspaceId,
  page: { before: AuditId | null; only?: AuditId | undefined; limit: number },
  filter: AuditFilter = everything,
): Promise<AuditRecord[]> {
  const rows = await db.forWorkspace(workspace)<AuditRow>`
    select ${columns} from audit_log
    where workspace_id = ${uuidOf(workspace)} and id < ${page.before ? uuidOf(page.before) : newest}::uuid
      and id between ${page.only ? uuidOf(page.only) : oldest}::uuid and ${page.only ? uuidOf(page.only) : newest}::uuid
      and ${matches(filter)}
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
  const rows = await db.forWorkspace(workspace)<AuditRow>`
    select ${columns} from audit_log
    where workspace_id = ${uuidOf(workspace)} and seq > ${page.after} and seq <= ${page.upTo}
      and ${matches(filter)}
    order by seq limit ${page.limit}`
  return rows.map(recordFrom)
}

/** The newest place in the chain; 0 for an empty log. */
export async function newestAuditSeq(db: Database, workspace: WorkspaceId): Promise<number> {
  const [row] = await db.forWorkspace(workspace)<{ seq: string | null }>`
    select max(seq) as seq from audit_log where workspace_id = ${uuidOf(workspace)}`
  return Number(row?.seq ?? 0)
}

/** One text for all filters, so that the server prepares each statement once. */
function matches(filter: AuditFilter): Fragment {
  const { from, to } = filter
  const actor = filter.actor && safeText(filter.actor)
  const action = filter.action && safeText(filter.action)
  const target = filter.target && safeText(filter.target.slice(0, auditTargetMax))
  return sql`(${actor}::text is null or actor = ${actor}::text)
      and (${action}::text is null or (action ~>=~ ${action}::text and action ~<~ ${action && action + lastCharacter}::text))
      and (${target}::text is null or (target = ${target}::text and length(target) <= 500))
      and (${from}::timestamptz is null or audit_log.at >= ${from}::timestamptz)
      and (${to}::timestamptz is null or audit_log.at < ${to}::timestamptz)`
}

function recordFrom(row: AuditRow): AuditRecord {
  return { ...row, id: idFrom('aud', row.id), seq: Number(row.seq) }
}
