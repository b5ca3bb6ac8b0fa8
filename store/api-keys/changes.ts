/** API keys made, rotated and revoked, with the keys that were made with them. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import { notifyChange } from '../changes.ts'
import type { Database } from '../database.ts'
import { type ApiKeyId, idFrom, type OperatorId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { type ApiKey, type KeyRow, keyColumns, keyOf } from './key.ts'

export type NewApiKey = Omit<
  ApiKey,
  'revokedAt' | 'createdAt' | 'usedAt' | 'rateLimitTpm' | 'allowedIps' | 'operatorId' | 'parentId' | 'rateId'
> & {
  /** SHA-256 of the key's text, 32 bytes. */
  hash: Buffer
  createdBy: string
  rateLimitTpm?: number | null
  allowedIps?: readonly string[]
  operatorId?: OperatorId | null
  parentId?: ApiKeyId | null
  /** Absent: itself. */
  rateId?: ApiKeyId
}

/** The key that this one was to be made with has ended meanwhile. */
export class MakerEnded extends Failure {
  readonly code = 'maker_ended'
  constructor() {
    super('the key that this was to be made with has ended')
  }
}

/** A chain of keys, each made with the one before it, is read whole at each lookup of its last. */
export class KeyChainTooLong extends Failure {
  readonly code = 'key_chain_too_long'
  constructor() {
    super(
      `a chain of keys, each made with the one before it, has at most ${keyChainMax}; make this one with an earlier key`,
    )
  }
}

export const keyChainMax = 8

export class TooManyKeys extends Failure {
  readonly code = 'too_many_keys'
  constructor() {
    super(`an operator may have ${ownKeysMax} personal keys that are valid; revoke one first`)
  }
}

/** Valid ones of one operator in one workspace. */
export const ownKeysMax = 20

/**
 * @param actor absent: the service itself, for the first key
 * @throws TooManyKeys for a personal key past `ownKeysMax`; MakerEnded, KeyChainTooLong
 */
export async function createApiKey(db: Database, key: NewApiKey, actor?: AuditActor): Promise<ApiKey> {
  return await db.transaction(key.workspaceId, async (query) => {
    if (key.operatorId) await refuseTooMany(query, key.operatorId)
    if (key.parentId) await refuseEndedMaker(query, key.workspaceId, key.parentId)
    const created = await insertKey(query, key)
    const summary = { after: summaryOf(created) }
    if (actor) await writeAudit(query, { actor, action: 'api_key.create', target: key.id, summary })
    return created
  })
}

/** With all keys made with it. False: there is no such key, or it was revoked before. @param owner only a personal key of theirs */
export async function revokeApiKey(
  db: Database,
  workspace: WorkspaceId,
  id: ApiKeyId,
  actor: AuditActor,
  owner: OperatorId | null = null,
): Promise<boolean> {
  const operator = owner && uuidOf(owner)
  return await db.transaction(workspace, async (query) => {
    await lockKeys(query, workspace)
    const [row] = await query<{ name: string }>`
      update api_keys set revoked_at = now()
      where workspace_id = ${uuidOf(workspace)} and id = ${uuidOf(id)} and revoked_at is null
        and (${operator}::uuid is null or operator_id = ${operator}::uuid)
      returning name`
    if (!row) return false
    const descendants = await revokeDescendants(query, id)
    const summary = {
      before: { name: row.name, isRevoked: false },
      after: { name: row.name, isRevoked: true, ...(descendants > 0 && { alsoRevoked: descendants }) },
    }
    await writeAudit(query, { actor, action: 'api_key.revoke', target: id, summary })
    return true
  })
}

export interface KeyRotation {
  /** The key that ends. */
  id: ApiKeyId
  next: { id: ApiKeyId; hash: Buffer; hint: string }
  /** How long the old one still works; 0: it ends now. */
  overlapS: number
  /** Throws where the actor may not rotate the key. @param makers the keys that it was made with, the nearest first */
  permit(key: ApiKey, makers: readonly ApiKeyId[]): void
}

/**
 * Gives a key another text: a new row with the rest of the old one, in its place also for the keys made with it.
 * Undefined: there is no such valid key.
 */
export async function rotateApiKey(
  db: Database,
  { id, next, overlapS, permit }: KeyRotation,
  actor: AuditActor,
): Promise<ApiKey | undefined> {
  const rotated = await db.transaction(actor.workspaceId, async (query) => {
    await lockKeys(query, actor.workspaceId)
    const [row] = await query<KeyRow>`
      select ${keyColumns} from api_keys
      where id = ${uuidOf(id)} and revoked_at is null and (expires_at is null or expires_at > now())
      for update`
    if (!row) return undefined
    const old = keyOf(row)
    permit(old, await makersOf(query, old.parentId))
    const created = await insertKey(query, { ...old, ...next, createdBy: actor.name })
    await query`update api_keys set parent_id = ${uuidOf(next.id)} where parent_id = ${uuidOf(id)}`
    if (overlapS === 0) await query`update api_keys set revoked_at = now() where id = ${uuidOf(id)}`
    else
      await query`
        update api_keys set expires_at = least(expires_at, now() + ${overlapS} * interval '1 second')
        where id = ${uuidOf(id)}`
    const summary = { before: { id, ...summaryOf(old) }, after: { id: next.id, ...summaryOf(created), overlapS } }
    await writeAudit(query, { actor, action: 'api_key.rotate', target: id, summary })
    return created
  })
  // Budgets of the old one are the new one's too.
  await notifyChange(db, 'prices')
  return rotated
}

/** One change of a workspace's keys at a time: nothing is made with a key while that is being revoked. */
async function lockKeys(query: Query, workspace: WorkspaceId): Promise<void> {
  await query`select pg_advisory_xact_lock(hashtextextended(${`keys of ${uuidOf(workspace)}`}, 0))`
}

async function refuseEndedMaker(query: Query, workspace: WorkspaceId, maker: ApiKeyId): Promise<void> {
  await lockKeys(query, workspace)
  const [row] = await query`
    select from api_keys
    where id = ${uuidOf(maker)} and revoked_at is null and (expires_at is null or expires_at > now())`
  if (!row) throw new MakerEnded()
  if ((await makersOf(query, maker)).length >= keyChainMax) throw new KeyChainTooLong()
}

/** The chain of keys that ends with this one, from it on. */
async function makersOf(query: Query, last: ApiKeyId | null): Promise<ApiKeyId[]> {
  if (last === null) return []
  const rows = await query<{ id: string }>`
    with recursive chain as (
      select id, parent_id, 0 as place from api_keys where id = ${uuidOf(last)}
      union all
      select each.id, each.parent_id, place + 1 from api_keys each join chain on each.id = chain.parent_id
    )
    select id from chain order by place`
  return rows.map(({ id }) => idFrom('key', id))
}

/** @returns how many that were valid until now */
async function revokeDescendants(query: Query, id: ApiKeyId): Promise<number> {
  const rows = await query`
    with recursive family as (
      select id from api_keys where parent_id = ${uuidOf(id)}
      union all
      select each.id from api_keys each join family on each.parent_id = family.id
    )
    update api_keys set revoked_at = now() from family
    where api_keys.id = family.id and revoked_at is null
    returning api_keys.id`
  return rows.length
}

async function insertKey(query: Query, key: NewApiKey): Promise<ApiKey> {
  const { rateLimitTpm = null, allowedIps = [], operatorId = null, parentId = null, rateId = key.id } = key
  const [row] = await query<KeyRow>`
    insert into api_keys (id, workspace_id, name, kind, hash, hint, scopes, rate_limit_rpm, rate_limit_tpm, expires_at, created_by,
      allowed_ips, operator_id, parent_id, rate_id)
    values (${uuidOf(key.id)}, ${uuidOf(key.workspaceId)}, ${key.name}, ${key.kind}, ${key.hash}, ${key.hint},
      ${key.scopes}::text[], ${key.rateLimitRpm}, ${rateLimitTpm}, ${key.expiresAt}, ${safeText(key.createdBy)}, ${allowedIps}::text[],
      ${operatorId && uuidOf(operatorId)}, ${parentId && uuidOf(parentId)}, ${uuidOf(rateId)})
    returning ${keyColumns}`
  if (!row) throw new Error('an inserted key was not returned')
  return keyOf(row)
}

async function refuseTooMany(query: Query, operator: OperatorId): Promise<void> {
  // One at a time: several at once would all be below the limit.
  await query`select pg_advisory_xact_lock(hashtextextended(${`keys of ${uuidOf(operator)}`}, 0))`
  const [row] = await query<{ count: number }>`
    select count(*)::int as count from api_keys
    where operator_id = ${uuidOf(operator)} and revoked_at is null and (expires_at is null or expires_at > now())`
  if ((row?.count ?? 0) >= ownKeysMax) throw new TooManyKeys()
}

/** For audit entries: nothing of the key's text. */
function summaryOf({ name, kind, scopes, rateLimitRpm, rateLimitTpm, expiresAt, allowedIps }: ApiKey): object {
  return { name, kind, scopes, rateLimitRpm, rateLimitTpm, expiresAt, allowedIps }
}
