/** The secret that a connector shares with the service: compared in constant time, whatever its length. */
import { createHash, timingSafeEqual } from 'node:crypto'

export const inboundSecretHeader = 'x-service-inbound-secret'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

let known = { secret: '', digest: digest('') }

/** True also where no secret is set: the endpoint is open then, and the log says so at the start. */
export function isInboundSecret(given: string, secret: string): boolean {
  if (secret === '') return true
  if (known.secret !== secret) known = { secret, digest: digest(secret) }
  return timingSafeEqual(digest(given), known.digest)
}
