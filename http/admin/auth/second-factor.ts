/** Verifies second factors, for logins and confirmations: a code of an app, a recovery code, or a passkey. */
import { z } from 'zod'
import type { AuditActor } from '../../../store/audit/audit.ts'
import type { OperatorId } from '../../../store/id.ts'
import { advancePasskey, findPasskey, takeRecoveryCode, takeTotpStep } from '../../../store/operators/factors.ts'
import type { Credentials } from '../../../store/operators/operators.ts'
import type { Proof } from '../../../store/operators/sessions.ts'
import type { Challenge } from '../../auth/challenges.ts'
import { AssertionResponse, PasskeyRefused, verifyAssertion } from '../../auth/passkeys.ts'
import { recoveryHash } from '../../auth/recovery-codes.ts'
import { isTotpCode, matchingStep, unsealTotp } from '../../auth/totp.ts'
import type { Call } from '../../call.ts'
import { codeFailed, codeSucceeded, recordRefusal, refuseGuessingCodes } from './sign-in-guard.ts'

export const Code = z.string().min(1).max(100).describe('A code of the authenticator app, or a recovery code.')

export const PasskeyProof = z.strictObject({
  challenge_id: z.string().min(1).max(100),
  response: AssertionResponse.describe('The result of navigator.credentials.get(), as JSON.'),
})
export type PasskeyProof = z.infer<typeof PasskeyProof>

/** Of bodies with a passkey's response. */
export const passkeyBodyBytesMax = 65_536

/** @returns undefined where the code is wrong or used up @throws ApiError 429 */
export async function verifyCode(
  call: Call,
  { credentials, code }: { credentials: Credentials; code: string },
  actor: AuditActor,
): Promise<Proof | undefined> {
  const { id } = credentials
  await refuseGuessingCodes(call, id)
  const proof = isTotpCode(code)
    ? (await isFreshTotp(call, credentials, code)) && 'totp'
    : (await takeRecoveryCode(call.app.db, id, recoveryHash(code), actor)) && 'recovery_code'
  if (!proof) {
    codeFailed(call, id)
    return undefined
  }
  codeSucceeded(call, id)
  return proof
}

async function isFreshTotp({ app }: Call, { id, totpSecret }: Credentials, code: string): Promise<boolean> {
  if (totpSecret === null) return false
  const step = matchingStep(unsealTotp(app.settings, id, totpSecret), code, app.clock.now())
  return step !== undefined && (await takeTotpStep(app.db, id, totpSecret, step))
}

export interface PasskeyOwner {
  operatorId: OperatorId
  login: string
}

/**
 * @param proof.challenge redeemed already; undefined: there was none
 * @returns whose passkey it is, or undefined where the response is not valid
 */
export async function verifyPasskey(
  call: Call,
  { challenge, response }: { challenge: Challenge | undefined; response: AssertionResponse },
  required: { owner?: OperatorId; isVerified: boolean; actor: AuditActor },
): Promise<PasskeyOwner | undefined> {
  const { app, requestId } = call
  const owner = challenge && (await findPasskey(app.db, response.id))
  if (!owner || (required.owner !== undefined && owner.operatorId !== required.owner)) return undefined
  try {
    const { publicKey, operatorId, login } = owner
    const expected = { party: challenge.party, challenge: challenge.text, publicKey, owner: operatorId }
    const counter = await verifyAssertion(response, { ...expected, isVerified: required.isVerified })
    if (await advancePasskey(app.db, response.id, counter)) return { operatorId, login }
    app.log.warn({ request_id: requestId, login }, 'a passkey whose counter went back was refused: it may be a copy')
    await recordRefusal(call, { action: 'factor.passkey_copied', target: operatorId }, required.actor)
  } catch (error) {
    if (!(error instanceof PasskeyRefused)) throw error
    app.log.info({ request_id: requestId, err: error }, 'a passkey was refused')
  }
  return undefined
}
