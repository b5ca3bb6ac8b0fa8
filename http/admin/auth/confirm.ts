/** Showing again who is there, which dangerous writes want: the password, a code, or a passkey. */
import { z } from 'zod'
import { listPasskeys } from '../../../store/operators/factors.ts'
import { credentialsOf } from '../../../store/operators/operators.ts'
import { confirmSession, type Proof } from '../../../store/operators/sessions.ts'
import { type OperatorPrincipal, own } from '../../access.ts'
import { assertionOptions, relyingParty } from '../../auth/passkeys.ts'
import { sessionEnded } from '../../auth/session-ring.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastSessionChange } from './end-sessions.ts'
import { PasskeyOptions } from './passkey-login.ts'
import { Code, PasskeyProof, passkeyBodyBytesMax, verifyCode, verifyPasskey } from './second-factor.ts'
import { guessFailed, limitGuesses } from './sign-in-guard.ts'

const shared = { tag: 'sign-in', method: 'POST', access: own() } as const

const Shown = z.union([
  z.strictObject({ password: z.string().min(1).max(1_000) }),
  z.strictObject({ code: Code }),
  z.strictObject({ passkey: PasskeyProof }),
])
type Shown = z.infer<typeof Shown>

export const confirmOptions = route({
  ...shared,
  path: '/v1/admin/auth/confirm/options',
  summary: 'Ask for a challenge to show with a passkey who is there',
  description: 'Good once, for five minutes, in this session.',
  answers: { 200: PasskeyOptions },
  async handle({ app, principal, ownOrigin }) {
    const { id: operatorId, sessionId } = principal.operator
    const party = relyingParty(ownOrigin)
    const known = (await listPasskeys(app.db, operatorId)).map((passkey) => passkey.id)
    if (known.length === 0) throw new ApiError('no_passkey', 'This operator has no passkey.')
    const { id, text } = app.auth.challenges.issue({ purpose: 'confirm', owner: sessionId, party })
    const options = await assertionOptions({ party, challenge: text, allowedIds: known, isVerificationRequired: true })
    return { challenge_id: id, options: { ...options } }
  },
})

export const confirm = route({
  ...shared,
  path: '/v1/admin/auth/confirm',
  summary: 'Show again who is there',
  description: 'Dangerous writes want it where the last proof is older than ten minutes.',
  bodyBytesMax: passkeyBodyBytesMax,
  body: Shown,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, sessionId, login } = principal.operator
    const proof = await limitGuesses(call, login, async () => {
      const shown = await provenBy(call, body)
      if (shown) return shown
      await guessFailed(call, { account: login, action: 'session.confirm_refused', target: id }, auditActor(call))
      throw new ApiError('confirmation_refused', 'What was shown is wrong.')
    })
    app.auth.limit.succeeded(call.clientIp, login)
    await confirmSession(app.db, sessionId, proof, auditActor(call))
    await broadcastSessionChange(call)
    return { ok: true }
  },
})

async function provenBy(
  call: Call<unknown, unknown, unknown, OperatorPrincipal>,
  shown: Shown,
): Promise<Proof | undefined> {
  const { app, principal } = call
  const { id, sessionId } = principal.operator
  const actor = auditActor(call)
  if ('passkey' in shown) {
    const challenge = app.auth.challenges.redeem(shown.passkey.challenge_id, 'confirm', sessionId)
    const wanted = { owner: id, isVerified: true, actor }
    return (await verifyPasskey(call, challenge, shown.passkey.response, wanted)) && 'passkey'
  }
  const known = await credentialsOf(app.db, id)
  if (!known) throw sessionEnded()
  if ('code' in shown) return await verifyCode(call, known, shown.code, actor)
  return (await app.auth.passwords.matches(shown.password, known.passwordHash)) ? 'password' : undefined
}
