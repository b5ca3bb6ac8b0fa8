/** `POST /v1/admin/apikeys`: issues a key, which is shown only in this answer. */
import { z } from 'zod'
import { createApiKey } from '../../../store/api-keys/changes.ts'
import { personalScopes, scopes } from '../../../store/scopes.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { issue } from '../../auth/issue.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { AllowedIps } from './allowed-ips.ts'
import { IssuedKey, KeyExpiry, KeyName, viewOf } from './key-view.ts'
import { expiryOf, newKey } from './new-key.ts'

const rateLimitRpmMax = 1_000_000
const rateLimitTpmMax = 1_000_000_000

const NewKey = z
  .strictObject({
    name: KeyName,
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .default(['chat'])
      .transform((list) => [...new Set(list)]),
    kind: z.enum(['service', 'personal']).default('service'),
    rate_limit_rpm: z.int().min(1).max(rateLimitRpmMax).nullable().default(null),
    rate_limit_tpm: z.int().min(1).max(rateLimitTpmMax).nullable().default(null),
    expires_at: KeyExpiry,
    allowed_ips: AllowedIps,
  })
  .refine(({ kind, scopes }) => kind === 'service' || scopes.every((scope) => personalScopes.includes(scope)), {
    path: ['scopes'],
    message: `A personal key has no other scopes than ${personalScopes.join(', ')}.`,
  })

export const createKey = route({
  method: 'POST',
  path: '/v1/admin/apikeys',
  issues: 'key',
  summary: 'Issue an API key',
  description:
    'The key belongs to the workspace of its maker and has no scope that its maker lacks. Made with a key, it has at least ' +
    'the limits of that key, counts on its rate limit too, and ends when that one is revoked.',
  tag: 'api keys',
  access: admin('keys.write', { isDangerous: true }),
  body: NewKey,
  answers: { 201: IssuedKey },
  async handle(call) {
    const { app, body, principal } = call
    const { expiresAtMs, ...issued } = issue(principal, {
      scopes: body.scopes,
      expiresAtMs: expiryOf(app, body.expires_at)?.getTime(),
      allowedIps: body.allowed_ips.length > 0 ? body.allowed_ips : undefined,
      rateLimitRpm: body.rate_limit_rpm ?? undefined,
      rateLimitTpm: body.rate_limit_tpm ?? undefined,
    })
    const { text, stored } = newKey()
    const actor = auditActor(call)
    const key = await createApiKey(
      app.db,
      {
        ...stored,
        ...issued,
        name: body.name,
        kind: body.kind,
        expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
        createdBy: actor.name,
      },
      actor,
    )
    return reply(201, { ...viewOf(key), key: text })
  },
})
