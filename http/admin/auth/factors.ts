/** `GET /v1/admin/auth/factors`: the operator's own second factors. */
import { z } from 'zod'
import { readFactors } from '../../../store/operators/factors.ts'
import { own } from '../../access.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import { route } from '../../route.ts'

export const factors = route({
  method: 'GET',
  path: '/v1/admin/auth/factors',
  summary: 'Read one’s own sign-in factors',
  tag: 'sign-in',
  access: own(),
  answers: {
    200: z.object({
      has_password: z.boolean(),
      totp_since: z.iso.datetime().nullable().describe('Null: no authenticator app.'),
      passkeys: z.int(),
      recovery_codes_left: z.int(),
    }),
  },
  async handle({ app, principal }) {
    const found = await readFactors(app.db, principal.operator.id)
    if (!found) throw sessionEnded()
    return {
      has_password: found.hasPassword,
      totp_since: found.totpSince?.toISOString() ?? null,
      passkeys: found.passkeys,
      recovery_codes_left: found.recoveryCodesLeft,
    }
  },
})
