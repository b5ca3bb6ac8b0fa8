/** What a caller was let in by, in a form that may be kept and asked about again: never the text of a key or a cookie. */
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'

export interface Credential {
  readonly kind: 'key' | 'session'
  /** SHA-256 of its text, 64 hexadecimal digits. */
  readonly digest: string
}

/** Beside the principals and not in them: what a route, a log line or an answer does with a principal gives none of it away. */
const credentials = new WeakMap<Principal, Credential>()

/** @returns the principal itself */
export function bindCredential<Caller extends Principal>(credential: Credential, principal: Caller): Caller {
  credentials.set(principal, credential)
  return principal
}

/** Of a ticket: what the ticket was made with. @throws TypeError for a principal that nobody has let in */
export function credentialOf(principal: Principal): Credential {
  const credential = credentials.get(principal)
  if (!credential) throw new TypeError('it is not known what this caller was let in by')
  return credential
}

/** Whose it is now, without its being a use of it; undefined: it has ended. */
export function revalidate(
  { keys, auth }: Pick<App, 'keys' | 'auth'>,
  { kind, digest }: Credential,
): Promise<Principal | undefined> {
  return kind === 'key' ? keys.currentPrincipal(digest) : auth.sessions.currentPrincipal(digest)
}
