/** An API key as the API shows it, without its text. */
import { z } from 'zod'
import type { ApiKey as StoredApiKey } from '../../../store/api-keys/key.ts'
import { ApiKeyId, OperatorId, WorkspaceId } from '../../../store/id.ts'
import { scopes } from '../../../store/scopes.ts'

export const KeyName = z.string().trim().min(1).max(100)
export const KeyExpiry = z.iso.datetime({ offset: true }).nullable().default(null)

export const ApiKeyView = z.object({
  id: ApiKeyId,
  workspace_id: WorkspaceId,
  name: z.string(),
  kind: z.enum(['service', 'personal']),
  hint: z.string().describe('The first characters of the key.'),
  scopes: z.array(z.enum(scopes)),
  rate_limit_rpm: z.int().nullable().describe('Requests a minute.'),
  rate_limit_tpm: z.int().nullable().describe('Tokens a minute.'),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  allowed_ips: z.array(z.string()).describe('Networks that it may be used from; empty: any.'),
  operator_id: OperatorId.nullable().describe('The owner of a personal key.'),
  made_with: ApiKeyId.nullable().describe('The key that it was made with, and ends with.'),
  used_at: z.iso.datetime().nullable().describe('To the minute.'),
  line_id: ApiKeyId.describe(
    'The first of the keys that were rotated into this one, mostly itself: a budget of one is of all.',
  ),
})
export type ApiKeyView = z.infer<typeof ApiKeyView>

export const IssuedKey = ApiKeyView.extend({ key: z.string().describe('Shown once.') })

export function viewOf(key: StoredApiKey): ApiKeyView {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    kind: key.kind,
    hint: key.hint,
    scopes: key.scopes,
    rate_limit_rpm: key.rateLimitRpm,
    rate_limit_tpm: key.rateLimitTpm,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    allowed_ips: key.allowedIps,
    operator_id: key.operatorId,
    made_with: key.parentId,
    used_at: key.usedAt?.toISOString() ?? null,
    line_id: key.rateId,
  }
}
