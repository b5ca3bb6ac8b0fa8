/** An API key as it is stored. The hash of a key is stored, never its text. */
import { type ApiKeyId, idFrom, type OperatorId, type RowOf, type WorkspaceId } from '../id.ts'
import { sql } from '../postgres/sql.ts'
import type { Scope } from '../scopes.ts'

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

export type KeyRow = RowOf<ApiKey>

export const keyColumns = sql`api_keys.id, api_keys.workspace_id as "workspaceId", api_keys.name, kind, hint, scopes,
  rate_limit_rpm as "rateLimitRpm", rate_limit_tpm as "rateLimitTpm", expires_at as "expiresAt", revoked_at as "revokedAt",
  api_keys.created_at as "createdAt", allowed_ips as "allowedIps", api_keys.operator_id as "operatorId",
  api_keys.parent_id as "parentId", coalesce(api_keys.rate_id, api_keys.id) as "rateId", used_at as "usedAt"`

export function keyOf(row: KeyRow): ApiKey {
  return {
    ...row,
    id: idFrom('key', row.id),
    workspaceId: idFrom('ws', row.workspaceId),
    operatorId: idFrom('oper', row.operatorId),
    parentId: idFrom('key', row.parentId),
    rateId: idFrom('key', row.rateId),
  }
}
