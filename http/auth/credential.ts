/** The credential that a caller came with, in a form that may be kept and asked about again: never the text of a key or a cookie. */
import type { Principal } from '../access.ts'

export interface Credential {
  readonly kind: 'key' | 'session'
  /** SHA-256 of its text, 64 hexadecimal digits. */
  readonly digest: string
}

/** Beside the principals and not in them: no route, log line or answer can give a credential away by writing out a principal. */
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
