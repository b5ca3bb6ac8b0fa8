/** The secret that a connector shares with the service: compared in constant time, whatever its length. */
import { hash, timingSafeEqual } from 'node:crypto'

export const inboundSecretHeader = 'x-service-inbound-secret'

/** True also where no secret is set: the endpoint is open then, and a warning at the start says so. */
export function isInboundSecret(given: string, secret: string): boolean {
  return secret === '' || timingSafeEqual(digest(given), digest(secret))
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
