/** API keys: their hash, never their text. */
import { type AuditActor, writeAudit } from './audit.ts'
import type { Database } from './database.ts'
import { type ApiKeyId, idFrom, uuidOf, type WorkspaceId } from './id.ts'

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
}

export type NewApiKey = Omit<ApiKey, 'revokedAt' | 'createdAt'> & {
  /** SHA-256 of the key's text, 32 bytes. */
  hash: Buffer
  createdBy: string
}

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
}

/** Across workspaces: whose key it is, is the question. */
export async function findApiKeyByHash(db: Database, hash: Buffer): Promise<ApiKey | null> {
  const [row] = await db.system<Row>`
    select id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at
    from api_keys where hash = ${hash}`
  return row ? keyOf(row) : null
}

export async function countApiKeys(db: Database): Promise<number> {
  const [row] = await db.system<{ count: number }>`select count(*)::int as count from api_keys`
  return row?.count ?? 0
}

/** @param actor absent: nobody asked for it, as for the first key */
export async function createApiKey(db: Database, key: NewApiKey, actor?: AuditActor): Promise<ApiKey> {
  return await db.transaction(key.workspaceId, async (query) => {
    const [row] = await query<Row>`
      insert into api_keys (id, workspace_id, name, kind, hash, hint, scopes, rate_limit_rpm, expires_at, created_by)
      values (${uuidOf(key.id)}, ${uuidOf(key.workspaceId)}, ${key.name}, ${key.kind}, ${key.hash}, ${key.hint},
        ${key.scopes}::text[], ${key.rateLimitRpm}, ${key.expiresAt}, ${key.createdBy})
      returning id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at`
    if (!row) throw new Error('an inserted key came back as nothing')
    const { name, kind, scopes, rateLimitRpm, expiresAt } = key
    const after = { name, kind, scopes, rateLimitRpm, expiresAt }
    if (actor) await writeAudit(query, { actor, action: 'api_key.create', target: key.id, after })
    return keyOf(row)
  })
}

/** Newest first. `before` is exclusive. */
export async function listApiKeys(
  db: Database,
  workspace: WorkspaceId,
  page: { before: ApiKeyId | null; limit: number },
): Promise<ApiKey[]> {
  const rows = await db.within(workspace)<Row>`
    select id, workspace_id, name, kind, hint, scopes, rate_limit_rpm, expires_at, revoked_at, created_at
    from api_keys
    where workspace_id = ${uuidOf(workspace)} and (${page.before ? uuidOf(page.before) : null}::uuid is null or id < ${page.before ? uuidOf(page.before) : null}::uuid)
    order by id desc limit ${page.limit}`
  return rows.map(keyOf)
}

/** False: there is no such key, or it was revoked before. */
export async function revokeApiKey(
  db: Database,
  workspace: WorkspaceId,
  id: ApiKeyId,
  actor?: AuditActor,
): Promise<boolean> {
  return await db.transaction(workspace, async (query) => {
    const rows = await query<{ id: string }>`
      update api_keys set revoked_at = now()
      where workspace_id = ${uuidOf(workspace)} and id = ${uuidOf(id)} and revoked_at is null returning id`
    const isRevoked = rows.length > 0
    if (isRevoked && actor) {
      const [before, after] = [{ isRevoked: false }, { isRevoked: true }]
      await writeAudit(query, { actor, action: 'api_key.revoke', target: id, before, after })
    }
    return isRevoked
  })
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
  }
}
