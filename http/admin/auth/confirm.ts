/** Proving again who one is, as dangerous writes require: by password, code or passkey. */
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

const Confirmation = z.union([
  z.strictObject({ password: z.string().min(1).max(1_000) }),
  z.strictObject({ code: Code }),
  z.strictObject({ passkey: PasskeyProof }),
])
type Confirmation = z.infer<typeof Confirmation>

export const confirmOptions = route({
  ...shared,
  path: '/v1/admin/auth/confirm/options',
  summary: 'Get a challenge to confirm with a passkey',
  description: 'Valid once, for five minutes, in this session.',
  answers: { 200: PasskeyOptions },
  async handle({ app, principal, ownOrigin }) {
    const { id: operatorId, sessionId } = principal.operator
    const party = relyingParty(ownOrigin)
    const ids = (await listPasskeys(app.db, operatorId)).map((passkey) => passkey.id)
    if (ids.length === 0) throw new ApiError('no_passkey', 'This operator has no passkey.')
    const { id, text } = app.auth.challenges.issue({ purpose: 'confirm', owner: sessionId, party })
    const options = await assertionOptions({ party, challenge: text, allowedIds: ids, isVerificationRequired: true })
    return { challenge_id: id, options: { ...options } }
  },
})

export const confirm = route({
  ...shared,
  path: '/v1/admin/auth/confirm',
  summary: 'Confirm who one is',
  description: 'Dangerous writes require it when the last proof is older than ten minutes.',
  bodyBytesMax: passkeyBodyBytesMax,
  body: Confirmation,
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, principal } = call
    const { id, sessionId, login } = principal.operator
    const proof = await limitGuesses(call, login, async () => {
      const valid = await proofOf(call, body)
      if (valid) return valid
      await guessFailed(call, { account: login, action: 'session.confirm_refused', target: id }, auditActor(call))
      throw new ApiError('confirmation_refused', 'The password, code or passkey is wrong.')
    })
    app.auth.limit.succeeded(call.clientIp, login)
    await confirmSession(app.db, sessionId, proof, auditActor(call))
    await broadcastSessionChange(call)
    return { ok: true }
  },
})

async function proofOf(
  call: Call<unknown, unknown, unknown, OperatorPrincipal>,
  confirmation: Confirmation,
): Promise<Proof | undefined> {
  const { app, principal } = call
  const { id, sessionId } = principal.operator
  const actor = auditActor(call)
  if ('passkey' in confirmation) {
    const { challenge_id: challengeId, response } = confirmation.passkey
    const challenge = await app.auth.challenges.redeem(challengeId, 'confirm', sessionId)
    const requirements = { owner: id, isVerified: true, actor }
    return (await verifyPasskey(call, { challenge, response }, requirements)) && 'passkey'
  }
  const credentials = await credentialsOf(app.db, id)
  if (!credentials) throw sessionEnded()
  if ('code' in confirmation) return await verifyCode(call, { credentials, code: confirmation.code }, actor)
  return (await app.auth.passwords.matches(confirmation.password, credentials.passwordHash)) ? 'password' : undefined
}
