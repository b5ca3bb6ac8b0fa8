/** Verification of the audit log: every hash made anew, outside of the database, and held against what is there. */
import { hash } from 'node:crypto'
import type { Database } from '../database.ts'
import { idFrom, uuidOf, type WorkspaceId } from '../id.ts'

export type AuditProblemKind =
  /** Its hash is not the hash of what it says. */
  | 'changed_row'
  /** It does not follow on the entry before it, or takes a place that was given to another. */
  | 'inserted_row'
  /** Entries between two others are gone. */
  | 'removed_rows'
  /** The oldest entries are gone, and no checkpoint says that the retention deleted them. */
  | 'removed_prefix'
  /** The newest entries are gone, or the head was changed. */
  | 'removed_newest'
  /** Checkpoints do not follow on each other. */
  | 'changed_checkpoint'

export interface AuditProblem {
  kind: AuditProblemKind
  /** The first place in the chain that is wrong. */
  seq: number
  message: string
}

export interface AuditVerdict {
  workspaceId: WorkspaceId
  problem: AuditProblem | null
  /** False: `rowsMax` came first, and what is behind `verifiedSeq` was not looked at. */
  isComplete: boolean
  /** Entries that were looked at. */
  rows: number
  verifiedSeq: number
  /** The newest entry, as the head has it; kept elsewhere, it shows later that the whole chain is still this one. */
  headSeq: number
  /** Hexadecimal. */
  headHash: string
  /** What the retention has deleted, up to here; null: nothing. */
  deleted: { upToSeq: number; at: Date } | null
}

interface Place {
  seq: number
  hash: string
}

interface Checkpoint extends Place {
  at: Date
}

interface ChainRow {
  id: string
  seq: string
  workspace: string
  at: string
  actor: string
  action: string
  target: string | null
  before_digest: string | null
  after_digest: string | null
  ip: string
  request_id: string
  detail: string | null
  prev_hash: string
  hash: string
}

const genesis: Place = { seq: 0, hash: '00'.repeat(32) }
const pageRows = 500
const beginning = { seq: Number.MIN_SAFE_INTEGER, id: '00000000-0000-0000-0000-000000000000' }

/** All that have entries, or had some. */
export async function auditedWorkspaces(db: Database): Promise<WorkspaceId[]> {
  const rows = await db.system<{ id: string }>`
    select workspace_id as id from audit_heads
    union select workspace_id from audit_log union select workspace_id from audit_checkpoints order by 1`
  return rows.map(({ id }) => idFrom('ws', id))
}

/** What is hashed of an entry: JSON strings and nulls, a comma and a space between. */
export function auditText(fields: readonly (string | null)[]): string {
  return `[${['service-audit-1', ...fields].map((field) => JSON.stringify(field)).join(', ')}]`
}

/** Hexadecimal. */
function hashOf(row: ChainRow): string {
  const {
    prev_hash,
    seq,
    id,
    workspace,
    at,
    actor,
    action,
    target,
    before_digest,
    after_digest,
    ip,
    request_id,
    detail,
  } = row
  const place = [prev_hash, seq, id, workspace, at]
  const change = [actor, action, target, before_digest, after_digest, ip, request_id, detail]
  return hash('sha256', auditText([...place, ...change]), 'hex')
}

/**
 * Looks at every entry from the newest checkpoint on, up to the head as it is now, in pages; stops at the first that is wrong.
 * @param options `rowsMax`: entries at most, of a chain of any length by default
 */
export async function verifyAudit(
  db: Database,
  workspaceId: WorkspaceId,
  options: { signal?: AbortSignal; rowsMax?: number } = {},
): Promise<AuditVerdict> {
  const { signal, rowsMax = Number.POSITIVE_INFINITY } = options
  const head = await headOf(db, workspaceId)
  const checkpoint = await newestCheckpoint(db, workspaceId)
  const walk = new Walk(head, checkpoint)
  let cursor = beginning
  let problem = await brokenCheckpoint(db, workspaceId)
  let rows = 0
  let isAtEnd = false
  while (!problem && !isAtEnd && rows < rowsMax) {
    signal?.throwIfAborted()
    const page = await pageAfter(db, workspaceId, cursor, Math.min(pageRows, rowsMax - rows))
    const last = page.at(-1)
    if (last) cursor = { seq: Number(last.seq), id: last.id }
    isAtEnd = last === undefined || cursor.seq >= head.seq
    problem = walk.through(page) ?? (isAtEnd ? walk.end() : null)
    // The retention may have been at work since the checkpoint was read, and since the page was: both are read again.
    if (problem && (await walk.movedOn(() => newestCheckpoint(db, workspaceId)))) {
      cursor = beginning
      problem = null
      isAtEnd = false
    } else rows += page.length
  }
  if (!problem && isAtEnd) problem = await behindHead(db, workspaceId)
  return {
    workspaceId,
    problem,
    isComplete: problem !== null || isAtEnd,
    rows,
    verifiedSeq: walk.verified.seq,
    headSeq: head.seq,
    headHash: head.hash,
    deleted: checkpoint && { upToSeq: checkpoint.seq, at: checkpoint.at },
  }
}

/** The way along one chain: where it stands, and what has to come next. */
class Walk {
  verified: Place
  readonly #head: Place
  #start: Place
  #isBegun = false

  constructor(head: Place, checkpoint: Place | null) {
    this.#head = head
    this.#start = checkpoint ?? genesis
    this.verified = this.#start
  }

  through(page: readonly ChainRow[]): AuditProblem | null {
    for (const row of page) {
      const seq = Number(row.seq)
      if (seq > this.#head.seq) return null // added since the head was read
      const wrong = this.#step(seq, row)
      if (wrong) return wrong
      this.#isBegun = true
      this.verified = { seq, hash: row.hash }
    }
    return null
  }

  #step(seq: number, row: ChainRow): AuditProblem | null {
    const before = this.verified
    if (seq <= before.seq)
      return { kind: 'inserted_row', seq, message: `entry ${seq} takes a place that was given before` }
    if (seq > before.seq + 1) {
      const gone = `${seq - before.seq - 1} entries from ${before.seq + 1} on are gone`
      return this.#isBegun
        ? { kind: 'removed_rows', seq: before.seq + 1, message: gone }
        : { kind: 'removed_prefix', seq: before.seq + 1, message: `${gone}, and no checkpoint says why` }
    }
    if (hashOf(row) !== row.hash)
      return { kind: 'changed_row', seq, message: `entry ${seq} does not say what it said when it was written` }
    if (row.prev_hash !== before.hash)
      return { kind: 'inserted_row', seq, message: `entry ${seq} does not follow on the entry before it` }
    return null
  }

  end(): AuditProblem | null {
    const { seq, hash: found } = this.verified
    if (seq < this.#head.seq) {
      const message = `${this.#head.seq - seq} of the newest entries, from ${seq + 1} on, are gone`
      return { kind: 'removed_newest', seq: seq + 1, message }
    }
    if (found === this.#head.hash) return null
    return { kind: 'removed_newest', seq, message: `entry ${seq} is not the one that the head names` }
  }

  /** True: the beginning of the chain has been deleted since, and the walk stands at its new beginning. */
  async movedOn(look: () => Promise<Checkpoint | null>): Promise<boolean> {
    const newer = await look()
    if (!newer || newer.seq <= this.#start.seq || newer.seq < this.verified.seq) return false
    this.#start = newer
    this.verified = newer
    this.#isBegun = false
    return true
  }
}

async function headOf(db: Database, workspace: WorkspaceId): Promise<Place> {
  const [row] = await db.system<{ seq: string; hash: string }>`
    select seq, encode(hash, 'hex') as hash from audit_heads where workspace_id = ${uuidOf(workspace)}`
  return row ? { seq: Number(row.seq), hash: row.hash } : genesis
}

async function newestCheckpoint(db: Database, workspace: WorkspaceId): Promise<Checkpoint | null> {
  const [row] = await db.system<{ seq: string; hash: string; at: Date }>`
    select last_seq as seq, encode(hash, 'hex') as hash, at from audit_checkpoints
    where workspace_id = ${uuidOf(workspace)} order by last_seq desc limit 1`
  return row ? { seq: Number(row.seq), hash: row.hash, at: row.at } : null
}

async function brokenCheckpoint(db: Database, workspace: WorkspaceId): Promise<AuditProblem | null> {
  const [row] = await db.system<{ seq: string }>`
    select first_seq as seq from (
      select first_seq, last_seq, lag(last_seq, 1, 0::bigint) over (order by last_seq) as behind from audit_checkpoints
      where workspace_id = ${uuidOf(workspace)}) as checkpoints
    where first_seq <> behind + 1 order by last_seq limit 1`
  if (!row) return null
  const seq = Number(row.seq)
  return { kind: 'changed_checkpoint', seq, message: `the checkpoint that begins at ${seq} does not follow on another` }
}

/** The head is raised with each entry, so that in one snapshot nothing stands behind it. */
async function behindHead(db: Database, workspace: WorkspaceId): Promise<AuditProblem | null> {
  const [row] = await db.system<{ seq: string | null }>`
    select min(seq) as seq from audit_log where workspace_id = ${uuidOf(workspace)}
      and seq > coalesce((select seq from audit_heads where workspace_id = ${uuidOf(workspace)}), 0)`
  if (!row?.seq) return null
  return { kind: 'inserted_row', seq: Number(row.seq), message: `entry ${row.seq} stands behind the head` }
}

async function pageAfter(
  db: Database,
  workspace: WorkspaceId,
  cursor: { seq: number; id: string },
  limit: number,
): Promise<ChainRow[]> {
  return await db.system<ChainRow>`
    select id, seq, workspace_id as workspace, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor, action,
      target, before_digest, after_digest, ip, request_id, detail::text as detail, encode(prev_hash, 'hex') as prev_hash,
      encode(hash, 'hex') as hash
    from audit_log
    where workspace_id = ${uuidOf(workspace)} and (seq, id) > (${cursor.seq}::bigint, ${cursor.id}::uuid)
    order by seq, id limit ${limit}`
}
