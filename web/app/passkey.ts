/** Passkeys in this browser: whether the page can use them, creating and using them. The library is loaded on first use. */
import type { Answer, Body } from '../api/types.ts'

type Options = Answer<'POST /v1/admin/auth/passkey/options'>['options']
type PasskeyAssertion = Body<'POST /v1/admin/auth/passkey/login'>['response']
type PasskeyRegistration = Body<'POST /v1/admin/auth/passkeys/register/verify'>['response']

/** Why this page cannot use passkeys; undefined: it can. */
type PasskeyObstacle = 'passkeyInsecure' | 'passkeyAddress' | 'passkeyBrowser'

export function passkeyObstacle(): PasskeyObstacle | undefined {
  if (!window.isSecureContext) return 'passkeyInsecure'
  if (/^\[|^[\d.]+$/.test(location.hostname)) return 'passkeyAddress'
  if (!('PublicKeyCredential' in window)) return 'passkeyBrowser'
  return undefined
}

/** The browser returned no passkey; `code` is the key of the text about it. */
export class PasskeyFailed extends Error {
  override readonly name = 'PasskeyFailed'
  readonly code: 'passkeyCancelled' | 'passkeyExists' | 'passkeyFailed'
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.code = codeOf(cause)
  }
}

const library = () => import('@simplewebauthn/browser')

/** @throws PasskeyFailed */
export async function showPasskey(options: Options): Promise<PasskeyAssertion> {
  const { startAuthentication } = await library()
  try {
    // The service creates the options with the matching library; its schema does not describe them.
    return (await startAuthentication({ optionsJSON: options as never })) as PasskeyAssertion
  } catch (cause) {
    throw new PasskeyFailed(cause)
  }
}

/** @throws PasskeyFailed */
export async function makePasskey(options: Options): Promise<PasskeyRegistration> {
  const { startRegistration } = await library()
  try {
    return (await startRegistration({ optionsJSON: options as never })) as PasskeyRegistration
  } catch (cause) {
    throw new PasskeyFailed(cause)
  }
}

function codeOf(cause: unknown): PasskeyFailed['code'] {
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return 'passkeyCancelled'
  return name === 'InvalidStateError' ? 'passkeyExists' : 'passkeyFailed'
}
