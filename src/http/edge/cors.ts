/** Which browser pages may read our answers: those whose origin is listed, and no other. */
import type { Exchange } from '../server/exchange.ts'
import type { MoreHeaders } from '../server/http-server.ts'

export type AllowedOrigins = ReadonlySet<string>

const exposed = 'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset'
const headerList = /^[A-Za-z0-9-]{1,64}(?:\s*,\s*[A-Za-z0-9-]{1,64}){0,63}$/
const preflightSeconds = 600

function isAllowed(origin: string, origins: AllowedOrigins): boolean {
  return origins.has(origin) || origins.has('*')
}

/** Marks the answer to a page of a listed origin as readable by it. Credentials go to origins named in full only. */
export function allowOrigin(exchange: Exchange, origins: AllowedOrigins): void {
  const { origin } = exchange.head
  if (origins.size === 0) return
  exchange.trustedHeader('vary', 'Origin')
  if (origin === '' || !isAllowed(origin, origins)) return
  const isNamed = origins.has(origin)
  exchange.header('access-control-allow-origin', isNamed ? origin : '*')
  if (isNamed) exchange.trustedHeader('access-control-allow-credentials', 'true')
  exchange.trustedHeader('access-control-expose-headers', exposed)
}

/** What a browser asks before it sends a request that a form could not send. */
export function allowPreflight(exchange: Exchange, more: MoreHeaders, origins: AllowedOrigins, allow: string): void {
  if (exchange.head.origin === '' || !isAllowed(exchange.head.origin, origins)) return
  exchange.trustedHeader('access-control-allow-methods', allow)
  const wanted = more.get('access-control-request-headers')
  if (headerList.test(wanted)) exchange.header('access-control-allow-headers', wanted)
  exchange.trustedHeader('access-control-max-age', String(preflightSeconds))
}
