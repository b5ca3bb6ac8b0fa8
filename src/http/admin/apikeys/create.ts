/** `POST /v1/admin/apikeys`: issues a key, shown in this answer and never again. */
import { z } from 'zod'
import { createApiKey } from '../../../store/apikeys.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { admin, holds, scopes } from '../../access.ts'
import { reply } from '../../answer.ts'
import { keyDigest, keyHint, newKeyText } from '../../auth/key-text.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { actorOf } from '../acting.ts'
import { ApiKeyView, viewOf } from './key-view.ts'

const rateLimitRpmMax = 1_000_000

const NewKey = z.object({
  name: z.string().trim().min(1).max(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .max(scopes.length)
    .default(['chat'])
    .transform((wanted) => [...new Set(wanted)]),
  kind: z.enum(['service', 'personal']).default('service'),
  rate_limit_rpm: z.int().min(1).max(rateLimitRpmMax).nullable().default(null),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
})

export const createKey = route({
  method: 'POST',
  path: '/v1/admin/apikeys',
  summary: 'Issue an API key',
  description: 'The key belongs to the workspace of its maker, and never has a scope that its maker lacks.',
  tag: 'api keys',
  access: admin('keys.write'),
  body: NewKey,
  answers: { 201: ApiKeyView.extend({ key: z.string().describe('Shown once.') }) },
  async handle(call) {
    const { app, body, principal } = call
    const beyond = body.scopes.find((wanted) => !holds(principal, wanted))
    if (beyond !== undefined) throw beyondMaker(beyond)
    const expiresAt = body.expires_at === null ? null : new Date(body.expires_at)
    if (expiresAt && expiresAt.getTime() <= app.clock.now())
      throw badRequest('expires_at lies in the past', 'expires_at')
    const text = newKeyText()
    const stored = await createApiKey(
      app.db,
      {
        id: newApiKeyId(),
        workspaceId: principal.workspaceId,
        name: body.name,
        kind: body.kind,
        scopes: body.scopes,
        rateLimitRpm: body.rate_limit_rpm,
        expiresAt,
        hash: Buffer.from(keyDigest(text), 'hex'),
        hint: keyHint(text),
        createdBy: principal.keyId ?? principal.kind,
      },
      actorOf(call),
    )
    return reply(201, { ...viewOf(stored), key: text })
  },
})

function beyondMaker(wanted: string): ApiError {
  const message = `A key cannot have a scope that its maker lacks: ${wanted}.`
  return new ApiError(403, 'permission_error', 'scope_beyond_maker', message, { param: 'scopes' })
}
