/** Looks up again whose a credential is, while an answer that it opened is still running. */
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import type { Credential } from './credential.ts'

type Rings = Pick<App, 'keys' | 'auth'>

/** By digest. One line for each kind. */
const lookups: Record<Credential['kind'], (rings: Rings, digest: string) => Promise<Principal | undefined>> = {
  key: ({ keys }, digest) => keys.currentPrincipal(digest),
  session: ({ auth }, digest) => auth.sessions.currentPrincipal(digest),
}

/** Does not count as a use of the credential. @returns undefined once it has ended */
export function revalidate(rings: Rings, { kind, digest }: Credential): Promise<Principal | undefined> {
  return lookups[kind](rings, digest)
}
