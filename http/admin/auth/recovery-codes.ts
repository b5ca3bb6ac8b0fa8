/** `POST /v1/admin/auth/recovery-codes`: new codes, shown only in this answer; the earlier ones become invalid. */
import { z } from 'zod'
import { replaceRecoveryCodes } from '../../../store/operators/factors.ts'
import { own } from '../../access.ts'
import { newRecoveryCodes, recoveryHash } from '../../auth/recovery-codes.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { endOtherSessions } from './end-sessions.ts'

export const RecoveryCodes = z.object({
  ok: z.literal(true),
  recovery_codes: z.array(z.string()).describe('Each is valid once. Shown once.'),
})

export const makeRecoveryCodes = route({
  method: 'POST',
  path: '/v1/admin/auth/recovery-codes',
  issues: 'factor',
  summary: 'Make new recovery codes',
  tag: 'sign-in',
  access: own('account.own', { isDangerous: true }),
  answers: { 200: RecoveryCodes },
  async handle(call) {
    const { app, principal } = call
    const codes = newRecoveryCodes()
    const hashes = codes.map(recoveryHash)
    if (!(await replaceRecoveryCodes(app.db, principal.operator.id, hashes, auditActor(call)))) {
      const message = 'Recovery codes replace a lost second factor; set one up first.'
      throw new ApiError('no_second_factor', message)
    }
    await endOtherSessions(call)
    return { ok: true, recovery_codes: codes }
  },
})
