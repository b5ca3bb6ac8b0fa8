/** The secret that connectors share with the service, compared in constant time whatever its length. */
import { hash, timingSafeEqual } from 'node:crypto'

export const inboundSecretHeader = 'x-service-inbound-secret'

/** True also where no secret is configured: the endpoint is open then, with a warning at the start. */
export function isInboundSecret(text: string, secret: string): boolean {
  return secret === '' || timingSafeEqual(digest(text), digest(secret))
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
