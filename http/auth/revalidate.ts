/** Looks up again whose a credential is, while an answer that it opened is still running. */
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import type { Credential } from './credential.ts'

/** Does not count as a use of the credential. @returns undefined once it has ended */
export function revalidate(
  { keys, auth }: Pick<App, 'keys' | 'auth'>,
  { kind, digest }: Credential,
): Promise<Principal | undefined> {
  return kind === 'key' ? keys.currentPrincipal(digest) : auth.sessions.currentPrincipal(digest)
}
