/** `POST /v1/admin/apikeys`: issues a key, which is shown only in this answer. */
import { z } from 'zod'
import { createApiKey } from '../../../store/api-keys.ts'
import { admin, scopes } from '../../access.ts'
import { reply } from '../../answer.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { AllowedIps } from './allowed-ips.ts'
import { inheritMakerLimits, refuseScopesBeyond } from './issuable.ts'
import { IssuedKey, KeyExpiry, KeyName, viewOf } from './key-view.ts'
import { expiryOf, newKey } from './new-key.ts'

const rateLimitRpmMax = 1_000_000

const NewKey = z.object({
  name: KeyName,
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .max(scopes.length)
    .default(['chat'])
    .transform((list) => [...new Set(list)]),
  kind: z.enum(['service', 'personal']).default('service'),
  rate_limit_rpm: z.int().min(1).max(rateLimitRpmMax).nullable().default(null),
  expires_at: KeyExpiry,
  allowed_ips: AllowedIps,
})

export const createKey = route({
  method: 'POST',
  path: '/v1/admin/apikeys',
  summary: 'Issue an API key',
  description:
    'The key belongs to the workspace of its maker and has no scope that its maker lacks. Made with a key, it has at least the limits of that key.',
  tag: 'api keys',
  access: admin('keys.write', { isDangerous: true }),
  body: NewKey,
  answers: { 201: IssuedKey },
  async handle(call) {
    const { app, body, principal } = call
    refuseScopesBeyond(principal, body.scopes)
    const { rate_limit_rpm: rateLimit, allowed_ips: networks } = body
    const requested = { expiresAt: expiryOf(app, body.expires_at), allowedIps: networks, rateLimitRpm: rateLimit }
    const { expiresAt, allowedIps, rateLimitRpm } = inheritMakerLimits(principal, requested)
    const { text, stored } = newKey()
    const actor = auditActor(call)
    const key = await createApiKey(
      app.db,
      {
        ...stored,
        workspaceId: principal.workspaceId,
        name: body.name,
        kind: body.kind,
        scopes: body.scopes,
        expiresAt,
        rateLimitRpm,
        allowedIps: [...allowedIps],
        createdBy: actor.name,
      },
      actor,
    )
    return reply(201, { ...viewOf(key), key: text })
  },
})
