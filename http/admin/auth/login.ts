/** `POST /v1/admin/auth/login`: an operator signs in, with a second factor if they have one. */
import { z } from 'zod'
import { WorkspaceId } from '../../../store/id.ts'
import { listPasskeys, readFactors } from '../../../store/operators/factors.ts'
import { type Credentials, findCredentials, loginOf } from '../../../store/operators/operators.ts'
import type { Proof } from '../../../store/operators/sessions.ts'
import { open } from '../../access.ts'
import { assertionOptions, relyingParty } from '../../auth/passkeys.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'
import { beginSession, SignedInView, userAgentHeader } from './begin-session.ts'
import { Code, PasskeyProof, passkeyBodyBytesMax, verifyCode, verifyPasskey } from './second-factor.ts'
import { anonymousActor, guessFailed, limitGuesses } from './sign-in-guard.ts'

const Login = z.strictObject({
  login: z.string().min(1).max(200),
  password: z.string().min(1).max(1_000),
  code: Code.optional(),
  passkey: PasskeyProof.optional().describe('For the challenge in the answer to this login.'),
  workspace_id: WorkspaceId.optional().describe('A workspace in which the operator has a role; by default the first.'),
})
type Login = z.infer<typeof Login>

const methods = ['totp', 'recovery_code', 'passkey'] as const

const SecondFactorRequired = z.object({
  ok: z.literal(false),
  second_factor: z.object({
    methods: z.array(z.enum(methods)),
    passkey: z
      .object({
        challenge_id: z.string(),
        options: z.record(z.string(), z.unknown()).describe('For navigator.credentials.get(), as JSON.'),
      })
      .nullable()
      .describe('Null: the operator has none, or browsers do not allow passkeys on this page.'),
  }),
})
type SecondFactorRequired = z.infer<typeof SecondFactorRequired>

export const logIn = route({
  method: 'POST',
  path: '/v1/admin/auth/login',
  issues: 'session',
  summary: 'Sign in',
  description:
    'The session is a cookie, HttpOnly and SameSite=Strict, new with each login. If the operator has a second factor and the request has none, ok is false and there is no session: send the same request again with code or passkey.',
  tag: 'sign-in',
  access: open,
  headers: [userAgentHeader],
  bodyBytesMax: passkeyBodyBytesMax,
  body: Login,
  answers: { 200: z.discriminatedUnion('ok', [SignedInView, SecondFactorRequired]) },
  handle(call) {
    const login = loginOf(call.body.login)
    return limitGuesses(call, login, () => attempt(call, login))
  },
})

async function attempt(call: Call<Login>, login: string): Promise<SignedInView | SecondFactorRequired> {
  const { app, body } = call
  const known = await findCredentials(app.db, login)
  // The same work whether or not there is such an operator, so that the time tells nothing.
  const isMatch = await app.auth.passwords.matches(body.password, known?.passwordHash ?? null)
  if (!known || !isMatch || known.isDisabled) {
    // An unknown login may be a password in the wrong field, so it is not stored.
    await guessFailed(call, { account: login, action: 'session.refused', target: known?.login ?? 'unknown' })
    throw wrong()
  }
  const proofs: Proof[] = ['password']
  if (hasSecondFactor(known)) {
    if (!body.code && !body.passkey) return await askForFactor(call, known)
    proofs.push(await secondProof(call, known, body))
  }
  // Hashing takes time: a change of the password or a factor meanwhile has ended all sessions, and must stop this one.
  if (!isSame(known, await findCredentials(app.db, login))) throw wrong()
  app.auth.limit.succeeded(call.clientIp, login)
  return await beginSession(call, {
    operatorId: known.id,
    proofs,
    workspaceId: body.workspace_id,
    checkedCredentials: known,
  })
}

const hasSecondFactor = ({ totpSecret, hasPasskeys }: Credentials): boolean => totpSecret !== null || hasPasskeys

function isSame(before: Credentials, now: Credentials | undefined): boolean {
  if (!now || now.isDisabled || now.passwordHash !== before.passwordHash) return false
  return now.totpSecret === before.totpSecret && now.hasPasskeys === before.hasPasskeys
}

/** A wrong second factor counts as a wrong password. @throws ApiError 401, 429 */
async function secondProof(call: Call, known: Credentials, { code, passkey }: Login): Promise<Proof> {
  const { app } = call
  const actor = { ...anonymousActor(call), name: known.login }
  let proof: Proof | undefined
  if (passkey) {
    const challenge = await app.auth.challenges.redeem(passkey.challenge_id, 'second_factor', known.id)
    const requirements = { owner: known.id, isVerified: false, actor }
    proof = (await verifyPasskey(call, { challenge, response: passkey.response }, requirements)) && 'passkey'
  } else if (code) proof = await verifyCode(call, { credentials: known, code }, actor)
  if (proof) return proof
  await guessFailed(call, { account: known.login, action: 'factor.refused', target: known.id }, actor)
  throw new ApiError('second_factor_refused', 'The second factor is wrong, or was used before.')
}

async function askForFactor(call: Call, known: Credentials): Promise<SecondFactorRequired> {
  const factors = await readFactors(call.app.db, known.id)
  const isAvailable = {
    totp: known.totpSecret !== null,
    recovery_code: (factors?.recoveryCodesLeft ?? 0) > 0,
    passkey: known.hasPasskeys,
  }
  const passkey = known.hasPasskeys ? await askForPasskey(call, known) : null
  return { ok: false, second_factor: { methods: methods.filter((method) => isAvailable[method]), passkey } }
}

async function askForPasskey(
  { app, ownOrigin }: Call,
  known: Credentials,
): Promise<SecondFactorRequired['second_factor']['passkey']> {
  const party = partyWherePossible(ownOrigin)
  if (!party) return null
  const { id, text } = app.auth.challenges.issue({ purpose: 'second_factor', owner: known.id, party })
  const passkeys = (await listPasskeys(app.db, known.id)).map((passkey) => passkey.id)
  const options = await assertionOptions({
    party,
    challenge: text,
    allowedIds: passkeys,
    isVerificationRequired: false,
  })
  return { challenge_id: id, options: { ...options } }
}

/** Null where passkeys cannot be used on this page: not an error, since there may be other factors. */
function partyWherePossible(origin: string | undefined): ReturnType<typeof relyingParty> | null {
  try {
    return relyingParty(origin)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

const wrong = (): ApiError => new ApiError('login_refused', 'The login or the password is wrong.')
