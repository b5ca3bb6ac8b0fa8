/** `POST /v1/admin/apikeys/revoke`: the key stops working at once, in every process of this database. */
import { z } from 'zod'
import { revokeApiKey } from '../../../store/api-keys/changes.ts'
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
  body: z.strictObject({ id: ApiKeyId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const isRevoked = await revokeApiKey(app.db, principal.workspaceId, body.id, auditActor(call))
    // Also when nothing changed: an earlier attempt may have revoked it and failed before the broadcast.
    await broadcastKeyChange(app)
    if (!isRevoked) throw notFound('There is no such key, or it is revoked already.')
    return { ok: true }
  },
})
