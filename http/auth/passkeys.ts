/**
 * Passkeys (WebAuthn): options for the browser, and verification of its responses. The library is loaded at the first use:
 * loading it takes longer than the rest of the start.
 */

import { z } from 'zod'
import { Failure } from '../../runtime/failure.ts'
import type { OperatorId } from '../../store/id.ts'
import { ApiError, type ClientCode } from '../error.ts'

/** For whom an authenticator makes a passkey, and the page that asks for it. */
export interface RelyingParty {
  /** A host name. */
  id: string
  origin: string
}

/** A response that is not valid; the message is for the log. */
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

/** The result of `navigator.credentials.create()`, as JSON. */
export const RegistrationResponse = z.object({
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
export type RegistrationResponse = z.infer<typeof RegistrationResponse>

/** The result of `navigator.credentials.get()`, as JSON. */
export const AssertionResponse = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: binary(8_192),
    authenticatorData: binary(8_192),
    signature: binary(8_192),
    userHandle: z.string().max(200).nullish(),
  }),
})
export type AssertionResponse = z.infer<typeof AssertionResponse>

const rpName = 'Agent Platform Service'
const timeoutMs = 5 * 60_000

/** EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]

const library = () => import('@simplewebauthn/server')

/**
 * @param origin of one of our pages; undefined: the request does not come from one
 * @throws ApiError 400 where browsers do not allow passkeys on such a page
 */
export function relyingParty(origin: string | undefined): RelyingParty {
  if (origin === undefined || !URL.canParse(origin))
    throw unavailable('passkeys_need_page', 'Passkeys can be used only from a page of the admin UI.')
  const { protocol, hostname } = new URL(origin)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) {
    const message = 'Browsers allow passkeys only over HTTPS (and on localhost); this page came over plain HTTP.'
    throw unavailable('passkeys_need_https', message)
  }
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) {
    const message = 'Passkeys need a host name; this page was opened by IP address.'
    throw unavailable('passkeys_need_host_name', message)
  }
  return { id: hostname, origin }
}

export interface RegistrationRequest {
  party: RelyingParty
  challenge: string
  operator: { id: OperatorId; login: string }
  /** Ids of the passkeys that the operator has already. */
  existingIds: readonly string[]
}

/** @returns the argument of `navigator.credentials.create()`, as JSON */
export async function registrationOptions({
  party,
  challenge,
  operator,
  existingIds: known,
}: RegistrationRequest): Promise<object> {
  const { generateRegistrationOptions } = await library()
  return await generateRegistrationOptions({
    rpName,
    rpID: party.id,
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    attestationType: 'none',
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
  /** Ids of passkeys; undefined: whichever the person picks. */
  allowedIds: readonly string[] | undefined
  /** User verification: the authenticator checks the person, by a PIN or a fingerprint. */
  isVerificationRequired: boolean
}

/** @returns the argument of `navigator.credentials.get()`, as JSON */
export async function assertionOptions({
  party,
  challenge,
  allowedIds: known,
  isVerificationRequired: isVerified,
}: AssertionRequest): Promise<object> {
  const { generateAuthenticationOptions } = await library()
  return await generateAuthenticationOptions({
    rpID: party.id,
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
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
  answer: RegistrationResponse,
  expected: { party: RelyingParty; challenge: string },
): Promise<RegisteredPasskey> {
  const { verifyRegistrationResponse } = await library()
  return await refuseOnThrow(async () => {
    await refuseCertificates(answer)
    const { id, rawId, type, response } = answer
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId, type, response, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified || registrationInfo.credential.id !== id) throw new PasskeyRefused('the attestation is wrong')
    const { publicKey, counter } = registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey), counter }
  })
}

/**
 * Does not check the counter: the store compares and raises it in one statement.
 * @returns the authenticator's counter
 * @throws PasskeyRefused
 */
export async function verifyAssertion(
  answer: AssertionResponse,
  expected: { party: RelyingParty; challenge: string; publicKey: Buffer; owner: OperatorId; isVerified: boolean },
): Promise<number> {
  const { verifyAuthenticationResponse } = await library()
  return await refuseOnThrow(async () => {
    const { userHandle, ...response } = answer.response
    if (userHandle && bytesOf(userHandle).toString() !== expected.owner)
      throw new PasskeyRefused('the passkey names another operator')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id: answer.id, rawId: answer.rawId, type: answer.type, response, clientExtensionResults: {} },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.party.origin,
      expectedRPID: expected.party.id,
      requireUserVerification: expected.isVerified,
      credential: { id: answer.id, publicKey: new Uint8Array(expected.publicKey), counter: 0 },
    })
    if (!verified) throw new PasskeyRefused('the signature is wrong')
    return authenticationInfo.newCounter
  })
}

/**
 * We ask for no attestation, so a response has none, or one that is signed with the new key itself. One with certificates
 * is refused: the library would fetch the revocation lists that a certificate names, from any address.
 */
async function refuseCertificates(answer: RegistrationResponse): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(new Uint8Array(bytesOf(answer.response.attestationObject)))
  const format: string = attestation.get('fmt')
  const isBare = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  if (!isBare) throw new PasskeyRefused(`an attestation of the form ${JSON.stringify(format)} was not asked for`)
}

/** The library reports an invalid response by exceptions without a type. */
async function refuseOnThrow<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (cause) {
    if (cause instanceof PasskeyRefused) throw cause
    throw new PasskeyRefused('the response of the authenticator is not valid', { cause })
  }
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

const unavailable = (code: ClientCode, message: string): ApiError => new ApiError(code, message)
