/**
 * Passkeys (WebAuthn): what browsers are asked for, and whether their answers hold. The library is loaded when the first one
 * is used: it takes longer than the rest of the start.
 */

import { z } from 'zod'
import { Failure } from '../../runtime/failure.ts'
import type { OperatorId } from '../../store/id.ts'
import { ApiError, type ClientCode } from '../error.ts'

/** Whom authenticators make keys for, and the page that asks them to. */
export interface RelyingParty {
  /** A host name. */
  id: string
  origin: string
}

/** An answer that does not hold; the reason is for the log. */
export class PasskeyRefused extends Failure {
  readonly code = 'passkey_refused'
}

const binary = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')

export const PasskeyId = binary(1_400)

const credential = {
  id: PasskeyId,
  rawId: PasskeyId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.unknown().optional(),
  clientExtensionResults: z.unknown().optional(),
}

/** What `navigator.credentials.create()` gives, as JSON. */
export const PasskeyCreated = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary(8_192),
    attestationObject: binary(16_384),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(10)
      .default([]),
  }),
})
export type PasskeyCreated = z.infer<typeof PasskeyCreated>

/** What `navigator.credentials.get()` gives, as JSON. */
export const PasskeyShown = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary(8_192),
    authenticatorData: binary(8_192),
    signature: binary(8_192),
    userHandle: z.string().max(200).nullish(),
  }),
})
export type PasskeyShown = z.infer<typeof PasskeyShown>

const rpName = 'Agent Platform Service'
const timeoutMs = 5 * 60_000

/** EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]

const library = () => import('@simplewebauthn/server')

/**
 * @param origin of a page of ours; undefined: the request comes from none
 * @throws ApiError 400 where browsers have no passkeys for such a page
 */
export function relyingParty(origin: string | undefined): RelyingParty {
  if (origin === undefined || !URL.canParse(origin))
    throw unavailable('passkeys_need_page', 'Passkeys are used from a page of the admin UI.')
  const { protocol, hostname } = new URL(origin)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) {
    const message =
      'Browsers have passkeys on pages over HTTPS only (and on localhost); this page came over plain HTTP.'
    throw unavailable('passkeys_need_https', message)
  }
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) {
    const message = 'Passkeys are made for a host name; this page was opened under an address.'
    throw unavailable('passkeys_need_host_name', message)
  }
  return { id: hostname, origin }
}

export interface RegistrationRequest {
  party: RelyingParty
  challenge: string
  operator: { id: OperatorId; login: string }
  /** Credentials' ids that the operator has already. */
  known: readonly string[]
}

/** @returns what `navigator.credentials.create()` takes, as JSON */
export async function registrationOptions({ party, challenge, operator, known }: RegistrationRequest): Promise<object> {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    ...{ rpName, rpID: party.id, challenge: bytesOf(challenge), timeout: timeoutMs, attestationType: 'none' },
    userID: new TextEncoder().encode(operator.id),
    userName: operator.login,
    userDisplayName: operator.login,
    excludeCredentials: known.map((id) => ({ id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    supportedAlgorithmIDs: algorithms,
  })
}

export interface AssertionRequest {
  party: RelyingParty
  challenge: string
  /** Credentials' ids; undefined: whichever the person picks. */
  known: readonly string[] | undefined
  /** The person has to show themselves to the authenticator, by a PIN or a finger. */
  isVerified: boolean
}

/** @returns what `navigator.credentials.get()` takes, as JSON */
export async function assertionOptions({ party, challenge, known, isVerified }: AssertionRequest): Promise<object> {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    ...{ rpID: party.id, challenge: bytesOf(challenge), timeout: timeoutMs },
    ...(known && { allowCredentials: known.map((id) => ({ id })) }),
    userVerification: isVerified ? 'required' : 'preferred',
  })
}

export interface RegisteredPasskey {
  id: string
  publicKey: Buffer
  counter: number
}

/** @throws PasskeyRefused */
export async function verifyRegistration(
  answer: PasskeyCreated,
  expected: { party: RelyingParty; challenge: string },
): Promise<RegisteredPasskey> {
  const { verifyRegistrationResponse } = await library()
  return await checked(async () => {
    await refuseCertificates(answer)
    const { id, rawId, type, response } = answer
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      ...{ expectedChallenge: expected.challenge, expectedOrigin: expected.party.origin },
      ...{ expectedRPID: expected.party.id, requireUserVerification: false, supportedAlgorithmIDs: algorithms },
    })
    if (!verified || registrationInfo.credential.id !== id) throw new PasskeyRefused('the attestation is wrong')
    const { publicKey, counter } = registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey), counter }
  })
}

/**
 * The counter is left to the store, which compares and raises it in one statement.
 * @returns the authenticator's counter
 * @throws PasskeyRefused
 */
export async function verifyAssertion(
  answer: PasskeyShown,
  expected: { party: RelyingParty; challenge: string; publicKey: Buffer; owner: OperatorId; isVerified: boolean },
): Promise<number> {
  const { verifyAuthenticationResponse } = await library()
  return await checked(async () => {
    const { userHandle, ...response } = answer.response
    if (userHandle && bytesOf(userHandle).toString() !== expected.owner)
      throw new PasskeyRefused('the passkey names another operator')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id: answer.id, rawId: answer.rawId, type: answer.type, response, clientExtensionResults: {} },
      ...{ expectedChallenge: expected.challenge, expectedOrigin: expected.party.origin },
      ...{ expectedRPID: expected.party.id, requireUserVerification: expected.isVerified },
      credential: { id: answer.id, publicKey: new Uint8Array(expected.publicKey), counter: 0 },
    })
    if (!verified) throw new PasskeyRefused('the signature is wrong')
    return authenticationInfo.newCounter
  })
}

/**
 * We ask for no attestation, so an answer brings none, or one that the authenticator signed with the new key itself. The
 * library would fetch the revocation lists that a certificate names, from whatever address stands in it.
 */
async function refuseCertificates(answer: PasskeyCreated): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(new Uint8Array(bytesOf(answer.response.attestationObject)))
  const format: string = attestation.get('fmt')
  const isBare = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  if (!isBare) throw new PasskeyRefused(`an attestation of the form ${JSON.stringify(format)} was not asked for`)
}

/** The library says by exceptions without a type what is wrong with an answer. */
async function checked<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (cause) {
    if (cause instanceof PasskeyRefused) throw cause
    throw new PasskeyRefused('the answer of the authenticator does not hold', { cause })
  }
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

const unavailable = (code: ClientCode, message: string): ApiError => new ApiError(code, message)
