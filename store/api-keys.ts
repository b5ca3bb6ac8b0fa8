/** API keys: their hash, never their text. */
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { type ApiKeyId, idFrom, type OperatorId, uuidOf, type WorkspaceId } from './id.ts'
import type { OperatorRole } from './operators/operators.ts'
import type { Query } from './postgres/query.ts'
import { safeText } from './postgres/safe-text.ts'

export type KeyScope = 'chat' | 'admin:read' | 'admin:write' | 'mcp' | '*'

export interface ApiKey {
  id: ApiKeyId
  workspaceId: WorkspaceId
  name: string
  kind: 'service' | 'personal'
  /** The first characters of the key's text, to recognise it by. */
  hint: string
  scopes: KeyScope[]
  rateLimitRpm: number | null
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
  /** Networks in CIDR form that it may come from; empty: from anywhere. */
  allowedIps: string[]
  /** Whose personal key it is; null: nobody's, as with keys of services. */
  operatorId: OperatorId | null
  /** To the minute. */
  usedAt: Date | null
}

/** A key with what its owner, if it has one, may do now. */
export interface OwnedApiKey extends ApiKey {
  owner: { isDisabled: boolean; role: OperatorRole | null } | null
}

export type NewApiKey = Omit<ApiKey, 'revokedAt' | 'createdAt' | 'usedAt' | 'allowedIps' | 'operatorId'> & {
  /** SHA-256 of the key's text, 32 bytes. */
  hash: Buffer
  createdBy: string
  allowedIps?: readonly string[]
  operatorId?: OperatorId | null
}

/** One operator has as many personal keys as a workspace allows. */
export class TooManyKeys extends Failure {
  readonly code = 'too_many_keys'
  constructor() {
    super(`an operator may have ${ownKeysMax} personal keys that are valid; revoke one first`)
  }
}

/** Valid ones of one operator in one workspace. */
export const ownKeysMax = 20

interface Row {
  id: string
  workspace_id: string
  name: string
  kind: ApiKey['kind']
  hint: string
  scopes: KeyScope[]
  rate_limit_rpm: number | null
  expires_at: Date | null
  revoked_at: Date | null
  created_at: Date
  allowed_ips: string[]
  operator_id: string | null
  used_at: Date | null
}

/** Across workspaces: whose key it is, is the question. */
export async function findApiKeyByHash(db: Database, hash: Buffer): Promise<OwnedApiKey | null> {
  const [row] = await db.system<Row & { is_disabled: boolean | null; role: OperatorRole | null }>`
    select k.id, k.workspace_id, k.name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, k.created_at, allowed_ips,
      k.operator_id, used_at, is_disabled, role
    from api_keys k
    left join operators o on o.id = k.operator_id
    left join operator_roles r on r.operator_id = k.operator_id and r.workspace_id = k.workspace_id
    where hash = ${hash}`
  if (!row) return null
  const owner = row.operator_id === null ? null : { isDisabled: row.is_disabled ?? true, role: row.role }
  return { ...keyOf(row), owner }
}

export async function countApiKeys(db: Database): Promise<number> {
  const [row] = await db.system<{ count: number }>`select count(*)::int as count from api_keys`
  return row?.count ?? 0
}

/**
 * @param actor absent: nobody asked for it, as for the first key
 * @throws TooManyKeys for a personal key past the owner's number
 */
export async function createApiKey(db: Database, key: NewApiKey, actor?: AuditActor): Promise<ApiKey> {
  return await db.transaction(key.workspaceId, async (query) => {
    if (key.operatorId) await refuseTooMany(query, key.operatorId)
    const made = await insertKey(query, key)
    if (actor)
      await writeAudit(query, { actor, action: 'api_key.create', target: key.id, summary: { after: shownOf(made) } })
    return made
  })
}

/** Newest first. `before` is exclusive. @param owner only their personal keys */
export async function listApiKeys(
  db: Database,
  workspace: WorkspaceId,
  page: { before: ApiKeyId | null; limit: number },
  owner: OperatorId | null = null,
): Promise<ApiKey[]> {
  const before = page.before && uuidOf(page.before)
  const operator = owner && uuidOf(owner)
  const rows = await db.forWorkspace(workspace)<Row>`
    select id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at, allowed_ips,
      operator_id, used_at
    from api_keys
    where workspace_id = ${uuidOf(workspace)} and (${before}::uuid is null or id < ${before}::uuid)
      and (${operator}::uuid is null or operator_id = ${operator}::uuid)
    order by id desc limit ${page.limit}`
  return rows.map(keyOf)
}

/** False: there is no such key, or it was revoked before. @param owner only a personal key of theirs */
export async function revokeApiKey(
  db: Database,
  workspace: WorkspaceId,
  id: ApiKeyId,
  actor: AuditActor,
  owner: OperatorId | null = null,
): Promise<boolean> {
  const operator = owner && uuidOf(owner)
  return await db.transaction(workspace, async (query) => {
    const [row] = await query<{ name: string }>`
      update api_keys set revoked_at = now()
      where workspace_id = ${uuidOf(workspace)} and id = ${uuidOf(id)} and revoked_at is null
        and (${operator}::uuid is null or operator_id = ${operator}::uuid)
      returning name`
    if (!row) return false
    const shown = { before: { name: row.name, isRevoked: false }, after: { name: row.name, isRevoked: true } }
    await writeAudit(query, { actor, action: 'api_key.revoke', target: id, summary: shown })
    return true
  })
}

export interface KeyRotation {
  /** The key that ends. */
  id: ApiKeyId
  next: { id: ApiKeyId; hash: Buffer; hint: string }
  /** How long the old one still works; 0: it ends now. */
  overlapS: number
  /** Throws where the key must not be taken over. */
  permit(key: ApiKey): void
}

/** Another text for a key: a new row with all that the old one had. Undefined: there is no such key that works. */
export async function rotateApiKey(
  db: Database,
  { id, next, overlapS, permit }: KeyRotation,
  actor: AuditActor,
): Promise<ApiKey | undefined> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const [row] = await query<Row>`
      select id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at, allowed_ips,
        operator_id, used_at
      from api_keys where id = ${uuidOf(id)} and revoked_at is null and (expires_at is null or expires_at > now())
      for update`
    if (!row) return undefined
    const old = keyOf(row)
    permit(old)
    const made = await insertKey(query, { ...old, ...next, createdBy: actor.name })
    if (overlapS === 0) await query`update api_keys set revoked_at = now() where id = ${uuidOf(id)}`
    else
      await query`
        update api_keys set expires_at = least(expires_at, now() + ${overlapS} * interval '1 second')
        where id = ${uuidOf(id)}`
    const shown = { before: { id, ...shownOf(old) }, after: { id: next.id, ...shownOf(made), overlapS } }
    await writeAudit(query, { actor, action: 'api_key.rotate', target: id, summary: shown })
    return made
  })
}

export interface KeyUse {
  id: ApiKeyId
  at: Date
}

/** Writes down when keys were used: once a minute for each at most, however many processes tell of it. */
export async function recordKeyUses(db: Database, uses: readonly KeyUse[]): Promise<void> {
  // Locked in one order, whatever the plan: two processes that write at once must not wait for each other.
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

async function insertKey(query: Query, key: NewApiKey): Promise<ApiKey> {
  const { allowedIps = [], operatorId = null } = key
  const [row] = await query<Row>`
    insert into api_keys (id, workspace_id, name, kind, hash, hint, scopes, rate_limit_rpm, expires_at, created_by,
      allowed_ips, operator_id)
    values (${uuidOf(key.id)}, ${uuidOf(key.workspaceId)}, ${key.name}, ${key.kind}, ${key.hash}, ${key.hint},
      ${key.scopes}::text[], ${key.rateLimitRpm}, ${key.expiresAt}, ${safeText(key.createdBy)}, ${allowedIps}::text[],
      ${operatorId && uuidOf(operatorId)})
    returning id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at, allowed_ips,
      operator_id, used_at`
  if (!row) throw new Error('an inserted key came back as nothing')
  return keyOf(row)
}

async function refuseTooMany(query: Query, operator: OperatorId): Promise<void> {
  // One at a time: those who come at once would all find room.
  await query`select pg_advisory_xact_lock(hashtextextended(${`keys of ${uuidOf(operator)}`}, 0))`
  const [row] = await query<{ count: number }>`
    select count(*)::int as count from api_keys
    where operator_id = ${uuidOf(operator)} and revoked_at is null and (expires_at is null or expires_at > now())`
  if ((row?.count ?? 0) >= ownKeysMax) throw new TooManyKeys()
}

/** What the audit log may show of a key: nothing of its text. */
function shownOf({ name, kind, scopes, rateLimitRpm, expiresAt, allowedIps }: ApiKey): object {
  return { name, kind, scopes, rateLimitRpm, expiresAt, allowedIps }
}

function keyOf(row: Row): ApiKey {
  return {
    id: idFrom('key', row.id),
    workspaceId: idFrom('ws', row.workspace_id),
    name: row.name,
    kind: row.kind,
    hint: row.hint,
    scopes: row.scopes,
    rateLimitRpm: row.rate_limit_rpm,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
    allowedIps: row.allowed_ips,
    operatorId: idFrom('oper', row.operator_id),
    usedAt: row.used_at,
  }
}
