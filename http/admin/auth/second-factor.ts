/** The second step of a login, and of showing again who is there: a code of an app, a recovery code, or a passkey. */
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

export const Code = z.string().min(1).max(100).describe('Of the authenticator app, or a recovery code.')

export const PasskeyProof = z.strictObject({
  challenge_id: z.string().min(1).max(100),
  response: AssertionResponse.describe('What navigator.credentials.get() gave, as JSON.'),
})
export type PasskeyProof = z.infer<typeof PasskeyProof>

/** Bodies with a passkey's answer: a page of JSON, never more. */
export const passkeyBodyBytesMax = 65_536

/** @returns undefined where the code is wrong or spent @throws ApiError 429 */
export async function verifyCode(
  call: Call,
  known: Credentials,
  code: string,
  actor: AuditActor,
): Promise<Proof | undefined> {
  await refuseGuessingCodes(call, known.id)
  const proof = isTotpCode(code)
    ? (await isFreshTotp(call, known, code)) && 'totp'
    : (await takeRecoveryCode(call.app.db, known.id, recoveryHash(code), actor)) && 'recovery_code'
  if (!proof) {
    codeFailed(call, known.id)
    return undefined
  }
  codeSucceeded(call, known.id)
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
 * @param challenge spent already; undefined: there was none
 * @returns whose passkey it is, or undefined where the answer does not hold
 */
export async function verifyPasskey(
  call: Call,
  challenge: Challenge | undefined,
  answer: AssertionResponse,
  wanted: { owner?: OperatorId; isVerified: boolean; actor: AuditActor },
): Promise<PasskeyOwner | undefined> {
  const { app, requestId } = call
  const owner = challenge && (await findPasskey(app.db, answer.id))
  if (!owner || (wanted.owner !== undefined && owner.operatorId !== wanted.owner)) return undefined
  try {
    const { publicKey, operatorId, login } = owner
    const expected = { party: challenge.party, challenge: challenge.text, publicKey, owner: operatorId }
    const counter = await verifyAssertion(answer, { ...expected, isVerified: wanted.isVerified })
    if (await advancePasskey(app.db, answer.id, counter)) return { operatorId, login }
    app.log.warn({ request_id: requestId, login }, 'a passkey whose counter went back was refused: it may be a copy')
    await recordRefusal(call, { action: 'factor.passkey_copied', target: operatorId }, wanted.actor)
  } catch (error) {
    if (!(error instanceof PasskeyRefused)) throw error
    app.log.info({ request_id: requestId, err: error }, 'a passkey was refused')
  }
  return undefined
}
