/** The credential of a caller, in a form that may be stored and validated again: never the text of a key or a cookie. */
import type { Principal } from '../access.ts'

export interface Credential {
  readonly kind: 'key' | 'session'
  /** SHA-256 of its text, 64 hexadecimal digits. */
  readonly digest: string
}

/** Not a field of the principal: so no log line or answer that serialises a principal can leak its credential. */
const credentials = new WeakMap<Principal, Credential>()

/** @returns the principal itself */
export function bindCredential<Caller extends Principal>(credential: Credential, principal: Caller): Caller {
  credentials.set(principal, credential)
  return principal
}

/** Of a ticket: the credential that the ticket was issued for. @throws TypeError for a principal without one */
export function credentialOf(principal: Principal): Credential {
  const credential = credentials.get(principal)
  if (!credential) throw new TypeError('this principal is bound to no credential')
  return credential
}
