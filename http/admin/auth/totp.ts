/** An operator's authenticator app: set up in two steps, so that a secret counts only once an app has it; and removed. */
import { z } from 'zod'
import { beginTotp, confirmTotp, pendingTotp, removeTotp } from '../../../store/operators/factors.ts'
import { own } from '../../access.ts'
import { newRecoveryCodes, recoveryHash } from '../../auth/recovery-codes.ts'
import { matchingStep, newTotp, sealTotp, unsealTotp } from '../../auth/totp.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { endOtherSessions } from './end-sessions.ts'
import { RecoveryCodes } from './recovery-codes.ts'
import { codeFailed, codeSucceeded, guessFailed, refuseGuessingCodes } from './sign-in-guard.ts'

const shared = { tag: 'sign-in', method: 'POST' } as const
const dangerous = own('account.own', { isDangerous: true })

export const totpBegin = route({
  ...shared,
  path: '/v1/admin/auth/totp/begin',
  issues: 'factor',
  summary: 'Set up an authenticator app',
  description: 'Takes effect with the first code, at totp/confirm. Before that, another request makes another secret.',
  access: dangerous,
  answers: {
    200: z.object({
      secret: z.string().describe('Base32. Shown once.'),
      uri: z.string().describe('otpauth://, for the QR code. Shown once.'),
    }),
  },
  async handle(call) {
    const { app, principal } = call
    const { id, login } = principal.operator
    const fresh = newTotp(login)
    const sealed = sealTotp(app.settings, id, fresh.secret)
    if (!(await beginTotp(app.db, id, sealed, auditActor(call)))) {
      const message = 'There is an authenticator app already; remove it first.'
      throw new ApiError('totp_already_on', message)
    }
    return { ...fresh }
  },
})

export const totpConfirm = route({
  ...shared,
  path: '/v1/admin/auth/totp/confirm',
  summary: 'Confirm an authenticator app with its first code',
  description:
    'From now on logins need a code. Other sessions of the operator end; earlier recovery codes become invalid.',
  access: own(),
  body: z.strictObject({ code: z.string().min(1).max(100) }),
  answers: { 200: RecoveryCodes },
  async handle(call) {
    const { app, body, principal } = call
    const { id, login } = principal.operator
    await refuseGuessingCodes(call, id)
    const sealed = await pendingTotp(app.db, id)
    if (sealed === null) throw notBegun()
    const step = matchingStep(unsealTotp(app.settings, id, sealed), body.code, app.clock.now())
    if (step === undefined) {
      codeFailed(call, id)
      await guessFailed(call, { account: login, action: 'factor.refused', target: id }, auditActor(call))
      throw new ApiError('code_refused', 'The code is wrong or too old. Is the clock right?')
    }
    const codes = newRecoveryCodes()
    const confirmed = { sealed, step, recoveryHashes: codes.map(recoveryHash) }
    if (!(await confirmTotp(app.db, id, confirmed, auditActor(call)))) throw notBegun()
    codeSucceeded(call, id)
    await endOtherSessions(call)
    return { ok: true, recovery_codes: codes }
  },
})

export const totpRemove = route({
  ...shared,
  path: '/v1/admin/auth/totp/remove',
  summary: 'Remove the authenticator app',
  description: 'Other sessions of the operator end. Recovery codes are removed with the last second factor.',
  access: dangerous,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, principal } = call
    if (!(await removeTotp(app.db, principal.operator.id, auditActor(call)))) throw notBegun()
    await endOtherSessions(call)
    return { ok: true }
  },
})

const notBegun = (): ApiError =>
  new ApiError('totp_not_begun', 'There is no authenticator app, and none is being set up.')
