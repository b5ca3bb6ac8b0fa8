/** Which browser pages may read our answers: only those whose origin is listed. */
import type { Exchange, HeaderReader } from '../server/exchange.ts'
import { isCredentialedOrigin } from './own-origin.ts'
import type { EdgePolicy } from './policy.ts'

const exposedHeaders = 'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset'
const headerList = /^[A-Za-z0-9-]{1,64}(?:\s*,\s*[A-Za-z0-9-]{1,64}){0,63}$/
const preflightSeconds = 600

/** Lets a page of a listed origin read the answer. With `*`, pages may read it only without credentials. */
export function allowOrigin(exchange: Exchange, policy: EdgePolicy): void {
  const { origin } = exchange.head
  if (policy.origins.size === 0 && policy.uiPort === undefined) return
  exchange.trustedHeader('vary', 'Origin')
  if (origin === '') return
  const isListed = isCredentialedOrigin(exchange, policy)
  if (!isListed && !policy.origins.has('*')) return
  exchange.header('access-control-allow-origin', isListed ? origin : '*')
  if (isListed) exchange.trustedHeader('access-control-allow-credentials', 'true')
  exchange.trustedHeader('access-control-expose-headers', exposedHeaders)
}

/** Answers a CORS preflight request. */
export function allowPreflight(exchange: Exchange, more: HeaderReader, policy: EdgePolicy, allow: string): void {
  if (exchange.head.origin === '' || !(isCredentialedOrigin(exchange, policy) || policy.origins.has('*'))) return
  exchange.trustedHeader('access-control-allow-methods', allow)
  const requested = more.getHeader('access-control-request-headers')
  if (headerList.test(requested)) exchange.header('access-control-allow-headers', requested)
  exchange.trustedHeader('access-control-max-age', String(preflightSeconds))
}
