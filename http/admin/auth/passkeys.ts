/** An operator's own passkeys: registered, listed, renamed, removed. */
import { z } from 'zod'
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  passkeysMax,
  removePasskey,
  renamePasskey,
} from '../../../store/operators/factors.ts'
import { own } from '../../access.ts'
import { reply } from '../../answer.ts'
import {
  PasskeyId,
  PasskeyRefused,
  RegistrationResponse,
  registrationOptions,
  relyingParty,
  verifyRegistration,
} from '../../auth/passkeys.ts'
import { newRecoveryCodes, recoveryHash } from '../../auth/recovery-codes.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { endOtherSessions } from './end-sessions.ts'
import { PasskeyOptions } from './passkey-login.ts'
import { passkeyBodyBytesMax } from './second-factor.ts'

const shared = { tag: 'sign-in' } as const
const dangerous = own('account.own', { isDangerous: true })
const done = { 200: z.object({ ok: z.literal(true) }) }
const Name = z.string().trim().min(1).max(100)

const PasskeyView = z.object({
  id: z.string(),
  name: z.string(),
  transports: z.array(z.string()),
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime().nullable(),
})

const viewOf = ({ id, name, transports, createdAt, usedAt }: Passkey): z.infer<typeof PasskeyView> => ({
  id,
  name,
  transports,
  created_at: createdAt.toISOString(),
  used_at: usedAt?.toISOString() ?? null,
})

export const passkeyRegisterOptions = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/passkeys/register/options',
  summary: 'Get a challenge to register a passkey',
  description: 'Valid once, for five minutes, in this session.',
  access: dangerous,
  answers: { 200: PasskeyOptions },
  async handle({ app, principal, ownOrigin }) {
    const { id: operatorId, login, sessionId } = principal.operator
    const party = relyingParty(ownOrigin)
    const existingIds = (await listPasskeys(app.db, operatorId)).map((passkey) => passkey.id)
    if (existingIds.length >= passkeysMax) throw tooMany()
    const { id, text } = app.auth.challenges.issue({ purpose: 'register', owner: sessionId, party })
    const options = await registrationOptions({
      party,
      challenge: text,
      operator: { id: operatorId, login },
      existingIds,
    })
    return { challenge_id: id, options: { ...options } }
  },
})

export const passkeyRegister = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/passkeys/register/verify',
  issues: 'factor',
  summary: 'Register a passkey',
  description: 'Other sessions of the operator end. The first second factor comes with recovery codes.',
  access: dangerous,
  bodyBytesMax: passkeyBodyBytesMax,
  body: z.strictObject({
    challenge_id: z.string().min(1).max(100),
    name: Name,
    response: RegistrationResponse.describe('The result of navigator.credentials.create(), as JSON.'),
  }),
  answers: {
    201: z.object({
      ok: z.literal(true),
      recovery_codes: z.array(z.string()).nullable().describe('Shown once. Null: the earlier codes remain valid.'),
    }),
  },
  async handle(call) {
    const { app, body, principal, requestId } = call
    const { id, sessionId } = principal.operator
    const challenge = await app.auth.challenges.redeem(body.challenge_id, 'register', sessionId)
    if (!challenge) throw refused()
    const codes = newRecoveryCodes()
    try {
      const created = await verifyRegistration(body.response, { party: challenge.party, challenge: challenge.text })
      const passkey = { ...created, transports: body.response.response.transports, name: body.name }
      const added = await addPasskey(app.db, id, passkey, codes.map(recoveryHash), auditActor(call))
      if (added.status === 'full') throw tooMany()
      if (added.status === 'taken') throw alreadyRegistered()
      await endOtherSessions(call)
      return reply(201, { ok: true, recovery_codes: added.areCodesNew ? codes : null })
    } catch (error) {
      if (!(error instanceof PasskeyRefused)) throw error
      app.log.info({ request_id: requestId, err: error }, 'a new passkey was refused')
      throw refused(error)
    }
  },
})

export const passkeys = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/auth/passkeys',
  summary: 'List one’s passkeys',
  access: own(),
  answers: { 200: z.object({ items: z.array(PasskeyView) }) },
  handle: async ({ app, principal }) => ({ items: (await listPasskeys(app.db, principal.operator.id)).map(viewOf) }),
})

export const passkeyRename = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/passkeys/rename',
  summary: 'Rename a passkey',
  access: own(),
  body: z.strictObject({ id: PasskeyId, name: Name }),
  answers: done,
  async handle(call) {
    const { app, body, principal } = call
    if (!(await renamePasskey(app.db, principal.operator.id, body, auditActor(call)))) throw unknown()
    return { ok: true }
  },
})

export const passkeyRemove = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/auth/passkeys/remove',
  summary: 'Remove a passkey',
  description: 'Other sessions of the operator end. Recovery codes are removed with the last second factor.',
  access: dangerous,
  body: z.strictObject({ id: PasskeyId }),
  answers: done,
  async handle(call) {
    const { app, body, principal } = call
    const outcome = await removePasskey(app.db, principal.operator.id, body.id, auditActor(call))
    if (outcome === 'unknown') throw unknown()
    if (outcome === 'last_way_in') {
      const message = 'Without a password this passkey is the only way to sign in.'
      throw new ApiError('last_way_in', message)
    }
    await endOtherSessions(call)
    return { ok: true }
  },
})

const unknown = (): ApiError => notFound('There is no such passkey.')

const tooMany = (): ApiError =>
  new ApiError('too_many_passkeys', `There are ${passkeysMax} passkeys; remove one first.`)

const alreadyRegistered = (): ApiError => new ApiError('passkey_taken', 'This passkey is registered already.')

const refused = (cause?: unknown): ApiError =>
  new ApiError(
    { code: 'passkey_refused', status: 400, type: 'invalid_request_error' },
    'The passkey was refused; ask for a challenge and try again.',
    {
      cause,
    },
  )
