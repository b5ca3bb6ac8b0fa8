/** Verification of the audit log: every hash is computed again outside of the database and compared with the stored one. */
import { hash } from 'node:crypto'
import type { Database } from '../database.ts'
import { idFrom, uuidOf, type WorkspaceId } from '../id.ts'

export type AuditProblemKind =
  /** Its hash is not the hash of its content. */
  | 'changed_row'
  /** It does not follow the entry before it, or has the place of another one. */
  | 'inserted_row'
  /** Entries between two others are gone. */
  | 'removed_rows'
  /** The oldest entries are gone, without a checkpoint of the retention. */
  | 'removed_prefix'
  /** The newest entries are gone, or the head was changed. */
  | 'removed_newest'
  /** Checkpoints do not follow each other. */
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
  /** False: `rowsMax` was reached, and what follows `verifiedSeq` was not verified. */
  isComplete: boolean
  /** Entries that were verified. */
  rows: number
  verifiedSeq: number
  /** The newest entry according to the head; recorded elsewhere, it proves later that the chain was not replaced. */
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
/** An entry has up to 32 KiB: of a page of such entries nobody feels the reading. */
const pageRows = 40
const beginning = { seq: Number.MIN_SAFE_INTEGER, id: '00000000-0000-0000-0000-000000000000' }

/** All workspaces that have or had entries. */
export async function auditedWorkspaces(db: Database): Promise<WorkspaceId[]> {
  const rows = await db.system<{ id: string }>`
    select workspace_id as id from audit_heads
    union select workspace_id from audit_log union select workspace_id from audit_checkpoints order by 1`
  return rows.map(({ id }) => idFrom('ws', id))
}

/** The text of an entry that is hashed: JSON strings and nulls, separated by a comma and a space. */
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
 * Verifies every entry from the newest checkpoint up to the present head, in pages; stops at the first problem.
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
    // The retention may have deleted entries since the checkpoint and the page were read: both are read again.
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

/** The progress along one chain: what is verified, and what has to follow. */
class Walk {
  verified: Place
  readonly #head: Place
  #start: Place
  #hasStep = false

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
      this.#hasStep = true
      this.verified = { seq, hash: row.hash }
    }
    return null
  }

  #step(seq: number, row: ChainRow): AuditProblem | null {
    const before = this.verified
    if (seq <= before.seq)
      return { kind: 'inserted_row', seq, message: `entry ${seq} has a place that was taken before` }
    if (seq > before.seq + 1) {
      const gone = `${seq - before.seq - 1} entries from ${before.seq + 1} on are gone`
      return this.#hasStep
        ? { kind: 'removed_rows', seq: before.seq + 1, message: gone }
        : { kind: 'removed_prefix', seq: before.seq + 1, message: `${gone}, and no checkpoint says why` }
    }
    if (hashOf(row) !== row.hash)
      return { kind: 'changed_row', seq, message: `entry ${seq} was changed after it was written` }
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

  /** True: the beginning of the chain was deleted in the meantime, and the walk continues at its new beginning. */
  async movedOn(readCheckpoint: () => Promise<Checkpoint | null>): Promise<boolean> {
    const newer = await readCheckpoint()
    if (!newer || newer.seq <= this.#start.seq || newer.seq < this.verified.seq) return false
    this.#start = newer
    this.verified = newer
    this.#hasStep = false
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

/** The head advances with each entry, so that in one snapshot nothing is behind it. */
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
