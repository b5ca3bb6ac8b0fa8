/** Finds who a bearer credential belongs to. */
import type { Principal } from '../access.ts'
import type { ApiError } from '../error.ts'

export interface KeyRing {
  /**
   * The caller, or what to tell it. Answers at once when the key is known, else after one query.
   * @param clientIp asked for only when the credential is unknown, to bound guessing
   */
  authenticate(bearer: string, clientIp: () => string): Principal | ApiError | Promise<Principal | ApiError>
  close(): void
}
