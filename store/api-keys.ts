/** API keys. The hash of a key is stored, never its text. */
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import { notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import { type ApiKeyId, idFrom, type OperatorId, type RowOf, uuidOf, type WorkspaceId } from './id.ts'
import type { OperatorRole } from './operators/operators.ts'
import type { Query } from './postgres/query.ts'
import { safeText } from './postgres/safe-text.ts'
import { allOf, type Fragment, sql } from './postgres/sql.ts'
import type { Scope } from './scopes.ts'

export interface ApiKey {
  id: ApiKeyId
  workspaceId: WorkspaceId
  name: string
  kind: 'service' | 'personal'
  /** The first characters of the key's text, to recognise it by. */
  hint: string
  scopes: Scope[]
  rateLimitRpm: number | null
  rateLimitTpm: number | null
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
  /** Networks in CIDR form that it may come from; empty: from anywhere. */
  allowedIps: string[]
  /** The owner of a personal key; null for keys of services. */
  operatorId: OperatorId | null
  /** The key that it was made with, and ends with. */
  parentId: ApiKeyId | null
  /** On whose rate its requests count: the first of those that were rotated into this one, mostly itself. */
  rateId: ApiKeyId
  /** To the minute. */
  usedAt: Date | null
}

/** A key with the present rights of its owner, if it has one, and the rates of the keys that it was made with. */
export interface OwnedApiKey extends ApiKey {
  owner: { isDisabled: boolean; role: OperatorRole | null } | null
  sharedRates: { keyId: ApiKeyId; rateLimitRpm: number }[]
  sharedTokenRates: { key: ApiKeyId; tokensPerMinute: number }[]
}

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

type Row = RowOf<ApiKey>

const columns = sql`api_keys.id, api_keys.workspace_id as "workspaceId", api_keys.name, kind, hint, scopes,
  rate_limit_rpm as "rateLimitRpm", rate_limit_tpm as "rateLimitTpm", expires_at as "expiresAt", revoked_at as "revokedAt",
  api_keys.created_at as "createdAt", allowed_ips as "allowedIps", api_keys.operator_id as "operatorId",
  api_keys.parent_id as "parentId", coalesce(api_keys.rate_id, api_keys.id) as "rateId", used_at as "usedAt"`

/** Across workspaces: which one the key belongs to is the question. */
export async function findApiKeyByHash(db: Database, hash: Buffer): Promise<OwnedApiKey | null> {
  const [row] = await db.system<Row & FoundRow>`
    select ${columns}, is_disabled as "isDisabled", role,
      case when api_keys.parent_id is null then '[]'::json else (
        with recursive chain as (
          select coalesce(rate_id, id) as rate_id, parent_id, rate_limit_rpm, rate_limit_tpm from api_keys parent
          where parent.id = api_keys.parent_id
          union all
          select coalesce(each.rate_id, each.id), each.parent_id, each.rate_limit_rpm, each.rate_limit_tpm
          from api_keys each join chain on each.id = chain.parent_id
        )
        select coalesce(json_agg(json_build_object('id', rate_id, 'rpm', rate_limit_rpm, 'tpm', rate_limit_tpm)), '[]'::json)
        from chain where rate_limit_rpm is not null or rate_limit_tpm is not null
      ) end as "sharedRates"
    from api_keys
    left join operators on operators.id = api_keys.operator_id
    left join operator_roles on operator_roles.operator_id = api_keys.operator_id
      and operator_roles.workspace_id = api_keys.workspace_id
    where hash = ${hash}`
  if (!row) return null
  const { isDisabled, role, sharedRates, ...key } = row
  const owner = row.operatorId === null ? null : { isDisabled: isDisabled ?? true, role }
  const ofRequests = sharedRates.flatMap(({ id, rpm }) =>
    rpm === null ? [] : [{ keyId: idFrom('key', id), rateLimitRpm: rpm }],
  )
  const ofTokens = sharedRates.flatMap(({ id, tpm }) =>
    tpm === null ? [] : [{ key: idFrom('key', id), tokensPerMinute: tpm }],
  )
  return { ...keyOf(key), owner, sharedRates: ofRequests, sharedTokenRates: ofTokens }
}

interface FoundRow {
  isDisabled: boolean | null
  role: OperatorRole | null
  sharedRates: { id: string; rpm: number | null; tpm: number | null }[]
}

export async function countApiKeys(db: Database): Promise<number> {
  const [row] = await db.system<{ count: number }>`select count(*)::int as count from api_keys`
  return row?.count ?? 0
}

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

export const keyStates = ['active', 'expired', 'revoked'] as const
export type KeyState = (typeof keyStates)[number]

export interface KeyFilters {
  /** Only personal keys of this one. */
  owner?: OperatorId | undefined
  /** In the name or in the first characters of the key, in any case. */
  text?: string | undefined
  state?: KeyState | undefined
  scope?: Scope | undefined
}

/** Newest first. `before` is exclusive. */
export async function listApiKeys(
  db: Database,
  workspace: WorkspaceId,
  page: { before: ApiKeyId | null; limit: number },
  { owner, text, state, scope }: KeyFilters = {},
): Promise<ApiKey[]> {
  const conditions = [sql`workspace_id = ${uuidOf(workspace)}`]
  if (page.before) conditions.push(sql`id < ${uuidOf(page.before)}::uuid`)
  if (owner) conditions.push(sql`operator_id = ${uuidOf(owner)}::uuid`)
  if (text) conditions.push(sql`strpos(lower(name || ' ' || hint), lower(${safeText(text)})) > 0`)
  if (state) conditions.push(inState[state])
  if (scope) conditions.push(sql`${scope}::text = any(scopes)`)
  const rows = await db.forWorkspace(workspace)<Row>`
    select ${columns} from api_keys where ${allOf(conditions)}
    order by id desc limit ${page.limit}`
  return rows.map(keyOf)
}

const isPast = sql`coalesce(expires_at <= now(), false)`
const inState: Record<KeyState, Fragment> = {
  active: sql`revoked_at is null and not ${isPast}`,
  expired: sql`revoked_at is null and ${isPast}`,
  revoked: sql`revoked_at is not null`,
}

/** Undefined: the workspace has no such key. */
export async function readApiKey(db: Database, workspace: WorkspaceId, id: ApiKeyId): Promise<ApiKey | undefined> {
  const [row] = await db.forWorkspace(workspace)<Row>`
    select ${columns} from api_keys where workspace_id = ${uuidOf(workspace)} and id = ${uuidOf(id)}`
  return row && keyOf(row)
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
    const [row] = await query<Row>`
      select ${columns} from api_keys
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

export interface KeyUse {
  id: ApiKeyId
  at: Date
}

/** Stores when keys were used: once a minute for each at most, however many processes report it. */
export async function recordKeyUses(db: Database, uses: readonly KeyUse[]): Promise<void> {
  // Locked in one order, whatever the plan: two processes that write at once must not deadlock.
  await db.system`
    with use as (
      select id, at from unnest(${uses.map(({ id }) => uuidOf(id))}::uuid[], ${uses.map(({ at }) => at)}::timestamptz[]) as use (id, at)
    ), due as (
      select api_keys.id, use.at from api_keys join use using (id)
      where used_at is null or used_at <= use.at - interval '1 minute'
      order by api_keys.id for update of api_keys
    )
    update api_keys set used_at = due.at from due where api_keys.id = due.id`
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
  const [row] = await query<Row>`
    insert into api_keys (id, workspace_id, name, kind, hash, hint, scopes, rate_limit_rpm, rate_limit_tpm, expires_at, created_by,
      allowed_ips, operator_id, parent_id, rate_id)
    values (${uuidOf(key.id)}, ${uuidOf(key.workspaceId)}, ${key.name}, ${key.kind}, ${key.hash}, ${key.hint},
      ${key.scopes}::text[], ${key.rateLimitRpm}, ${rateLimitTpm}, ${key.expiresAt}, ${safeText(key.createdBy)}, ${allowedIps}::text[],
      ${operatorId && uuidOf(operatorId)}, ${parentId && uuidOf(parentId)}, ${uuidOf(rateId)})
    returning ${columns}`
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

function keyOf(row: Row): ApiKey {
  return {
    ...row,
    id: idFrom('key', row.id),
    workspaceId: idFrom('ws', row.workspaceId),
    operatorId: idFrom('oper', row.operatorId),
    parentId: idFrom('key', row.parentId),
    rateId: idFrom('key', row.rateId),
  }
}
