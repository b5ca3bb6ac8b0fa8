/** `POST /v1/admin/apikeys/revoke`: the key stops working with this answer, here and in every process of this database. */
import { z } from 'zod'
import { revokeApiKey } from '../../../store/api-keys.ts'
import { ApiKeyId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastKeyChange } from './new-key.ts'

export const revokeKey = route({
  method: 'POST',
  path: '/v1/admin/apikeys/revoke',
  summary: 'Revoke an API key',
  tag: 'api keys',
  access: admin('keys.write', { isDangerous: true }),
  body: z.object({ id: ApiKeyId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const isRevoked = await revokeApiKey(app.db, principal.workspaceId, body.id, auditActor(call))
    // Told also when nothing changed: an earlier attempt may have got as far as the revocation, and no further.
    await broadcastKeyChange(app)
    if (!isRevoked) throw notFound('There is no such key, or it was revoked before.')
    return { ok: true }
  },
})
