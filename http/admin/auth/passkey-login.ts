/** Signing in with only a passkey: the authenticator knows the account and has verified the person. */
import { z } from 'zod'
import { WorkspaceId } from '../../../store/id.ts'
import { open } from '../../access.ts'
import { assertionOptions, relyingParty } from '../../auth/passkeys.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { beginSession, SignedInView, userAgentHeader } from './begin-session.ts'
import { PasskeyProof, passkeyBodyBytesMax, verifyPasskey } from './second-factor.ts'
import { anonymousActor, guessFailed, refuseGuessing } from './sign-in-guard.ts'

const shared = { tag: 'sign-in', method: 'POST', access: open } as const

export const PasskeyOptions = z.object({
  challenge_id: z.string(),
  options: z.record(z.string(), z.unknown()).describe('For navigator.credentials, as JSON.'),
})

export const passkeyLoginOptions = route({
  ...shared,
  path: '/v1/admin/auth/passkey/options',
  summary: 'Get a challenge to sign in with only a passkey',
  description: 'Valid once, for five minutes.',
  answers: { 200: PasskeyOptions },
  async handle(call) {
    const { app, clientIp, ownOrigin } = call
    await refuseGuessing(call, accountOf(call), 'passkey')
    const party = relyingParty(ownOrigin)
    const { id, text } = app.auth.challenges.issue({ purpose: 'sign_in', owner: clientIp, party })
    const options = await assertionOptions({
      party,
      challenge: text,
      allowedIds: undefined,
      isVerificationRequired: true,
    })
    return { challenge_id: id, options: { ...options } }
  },
})

export const passkeyLogin = route({
  ...shared,
  path: '/v1/admin/auth/passkey/login',
  issues: 'session',
  summary: 'Sign in with only a passkey',
  headers: [userAgentHeader],
  bodyBytesMax: passkeyBodyBytesMax,
  body: PasskeyProof.extend({ workspace_id: WorkspaceId.optional() }),
  answers: { 200: SignedInView },
  async handle(call) {
    const { app, body } = call
    await refuseGuessing(call, accountOf(call), 'passkey')
    const challenge = await app.auth.challenges.redeem(body.challenge_id, 'sign_in', undefined)
    const requirements = { isVerified: true, actor: anonymousActor(call) }
    const owner = await verifyPasskey(call, { challenge, response: body.response }, requirements)
    if (!owner) {
      await guessFailed(call, { account: accountOf(call), action: 'session.refused', target: 'passkey' })
      throw refused()
    }
    for (const account of [owner.login, accountOf(call)]) app.auth.limit.succeeded(call.clientIp, account)
    return await beginSession(call, {
      operatorId: owner.operatorId,
      proofs: ['passkey'],
      workspaceId: body.workspace_id,
      checkedCredentials: { passkey: body.response.id },
    })
  },
})

/** A signature cannot be guessed, so failures of one address do not delay others. No login has capitals. */
const accountOf = ({ clientIp }: Call): string => `PASSKEY FROM ${clientIp}`

const refused = (): ApiError =>
  new ApiError('passkey_refused', 'The passkey was refused; ask for a challenge and try again.')
