/** API keys read: by the hash of what a caller sent, one, and those of a workspace. */
import type { Database } from '../database.ts'
import { type ApiKeyId, idFrom, type OperatorId, uuidOf, type WorkspaceId } from '../id.ts'
import type { OperatorRole } from '../operators/operators.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import type { Scope } from '../scopes.ts'
import { type ApiKey, type KeyRow, keyColumns, keyOf } from './key.ts'

/** A key with the present rights of its owner, if it has one, and the rates of the keys that it was made with. */
export interface OwnedApiKey extends ApiKey {
  owner: { isDisabled: boolean; role: OperatorRole | null } | null
  sharedRates: { keyId: ApiKeyId; rateLimitRpm: number }[]
  sharedTokenRates: { key: ApiKeyId; tokensPerMinute: number }[]
}

/** Across workspaces: which one the key belongs to is the question. */
export async function findApiKeyByHash(db: Database, hash: Buffer): Promise<OwnedApiKey | null> {
  const [row] = await db.system<KeyRow & FoundRow>`
    select ${keyColumns}, is_disabled as "isDisabled", role,
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
  const rows = await db.forWorkspace(workspace)<KeyRow>`
    select ${keyColumns} from api_keys where ${allOf(conditions)}
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
  const [row] = await db.forWorkspace(workspace)<KeyRow>`
    select ${keyColumns} from api_keys where workspace_id = ${uuidOf(workspace)} and id = ${uuidOf(id)}`
  return row && keyOf(row)
}
