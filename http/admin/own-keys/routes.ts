/** `/v1/admin/own-keys`: an operator's own personal keys, for chat clients. They are deleted with the operator. */
import { z } from 'zod'
import { createApiKey, ownKeysMax, revokeApiKey } from '../../../store/api-keys/changes.ts'
import { listApiKeys } from '../../../store/api-keys/reads.ts'
import { ApiKeyId } from '../../../store/id.ts'
import { own } from '../../access.ts'
import { reply } from '../../answer.ts'
import { issue } from '../../auth/issue.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { AllowedIps } from '../apikeys/allowed-ips.ts'
import { ApiKeyView, IssuedKey, KeyExpiry, KeyName, viewOf } from '../apikeys/key-view.ts'
import { broadcastKeyChange, expiryOf, newKey } from '../apikeys/new-key.ts'
import { auditActor } from '../audit-actor.ts'

const tag = 'own keys'

export const listOwnKeys = route({
  method: 'GET',
  path: '/v1/admin/own-keys',
  summary: 'List one’s own keys',
  description: 'Those in the workspace of the session, newest first, including revoked ones.',
  tag,
  access: own('keys.own'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: ApiKeyId.optional().describe('next_cursor of the page before'),
  }),
  answers: { 200: z.object({ items: z.array(ApiKeyView), next_cursor: ApiKeyId.nullable() }) },
  async handle({ app, query, principal }) {
    const { limit, cursor = null } = query
    const page = { before: cursor, limit: limit + 1 }
    const keys = await listApiKeys(app.db, principal.workspaceId, page, { owner: principal.operator.id })
    const items = keys.slice(0, limit).map(viewOf)
    return { items, next_cursor: keys.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})

export const createOwnKey = route({
  method: 'POST',
  path: '/v1/admin/own-keys',
  issues: 'personal key',
  summary: 'Create a key of one’s own',
  description: `A personal key with the scope chat. It works while its owner is enabled and may have such keys. At most ${ownKeysMax}.`,
  tag,
  access: own('keys.own', { isDangerous: true }),
  body: z.strictObject({ name: KeyName, expires_at: KeyExpiry, allowed_ips: AllowedIps }),
  answers: { 201: IssuedKey },
  async handle(call) {
    const { app, body, principal } = call
    if (!app.settings.get('SERVICE_PERSONAL_API_KEYS')) throw switchedOff()
    const expiresAt = expiryOf(app, body.expires_at)
    const wish = { scopes: ['chat'] as const, expiresAtMs: expiresAt?.getTime(), allowedIps: body.allowed_ips }
    const { expiresAtMs: _, ...issued } = issue(principal, wish)
    const { text, stored } = newKey()
    const actor = auditActor(call)
    const key = {
      ...stored,
      ...issued,
      name: body.name,
      kind: 'personal' as const,
      expiresAt,
      operatorId: principal.operator.id,
      createdBy: actor.name,
    }
    const made = await createApiKey(app.db, key, actor)
    return reply(201, { ...viewOf(made), key: text })
  },
})

export const revokeOwnKey = route({
  method: 'POST',
  path: '/v1/admin/own-keys/revoke',
  summary: 'Revoke a key of one’s own',
  tag,
  access: own('keys.own'),
  body: z.strictObject({ id: ApiKeyId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const { workspaceId, operator } = principal
    const isRevoked = await revokeApiKey(app.db, workspaceId, body.id, auditActor(call), operator.id)
    await broadcastKeyChange(app)
    if (!isRevoked) throw notFound('You have no such key, or it is revoked already.')
    return { ok: true }
  },
})

const switchedOff = (): ApiError =>
  new ApiError('personal_keys_off', 'Personal API keys are switched off on this service.')
