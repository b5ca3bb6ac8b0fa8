/** `POST /v1/admin/apikeys/rotate`: replaces a key by a new one; the old one ends now, or after an overlap. */
import { z } from 'zod'
import { rotateApiKey } from '../../../store/api-keys/changes.ts'
import type { ApiKey } from '../../../store/api-keys/key.ts'
import { ApiKeyId } from '../../../store/id.ts'
import { admin, type Principal } from '../../access.ts'
import { reply } from '../../answer.ts'
import { issue, refuseBounded } from '../../auth/issue.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { IssuedKey, viewOf } from './key-view.ts'
import { broadcastKeyChange, newKey } from './new-key.ts'

const weekS = 7 * 24 * 3_600

export const rotateKey = route({
  method: 'POST',
  path: '/v1/admin/apikeys/rotate',
  issues: 'key',
  summary: 'Rotate an API key',
  description:
    'A new key with the name, scopes, rate, addresses and expiry of the old one, which keys made with the old one now end ' +
    'with. Keys with more than the caller has, and personal keys of operators, are refused: the caller could use the new ' +
    'key in place of their owner. A key with bounds rotates only itself and keys made with it.',
  tag: 'api keys',
  access: admin('keys.write', { isDangerous: true }),
  body: z.strictObject({
    id: ApiKeyId,
    overlap_s: z.int().min(0).max(weekS).default(0).describe('How long the old key still works; 0: it ends now.'),
  }),
  answers: { 201: IssuedKey.extend({ replaces: ApiKeyId }) },
  async handle(call) {
    const { app, body, principal } = call
    const { text, stored } = newKey()
    const permit = (key: ApiKey, makers: readonly ApiKeyId[]) => refuseForeign(principal, key, makers)
    const rotation = { id: body.id, next: stored, overlapS: body.overlap_s, permit }
    const key = await rotateApiKey(app.db, rotation, auditActor(call))
    await broadcastKeyChange(app)
    if (!key) throw notFound('There is no such key, or it has ended.')
    return reply(201, { ...viewOf(key), key: text, replaces: body.id })
  },
})

function refuseForeign(principal: Principal, key: ApiKey, makers: readonly ApiKeyId[]): void {
  if (key.operatorId !== null) throw new ApiError('key_is_personal', 'Only its owner can replace a personal key.')
  const { scopes, allowedIps, rateLimitRpm, rateLimitTpm } = key
  issue(principal, { scopes, expiresAtMs: key.expiresAt?.getTime() ?? null, allowedIps, rateLimitRpm, rateLimitTpm })
  // The new key takes the place of the old one and would outlive a caller that did not make it.
  const isOwn = principal.keyId !== null && (key.id === principal.keyId || makers.includes(principal.keyId))
  if (!isOwn) refuseBounded(principal, 'rotate keys that were not made with it')
}
