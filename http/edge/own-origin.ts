/** Pages that may act with an operator's session: the admin UI's and the gateway's own, and no others, whatever SameSite says. */
import type { Exchange } from '../server/exchange.ts'
import type { EdgePolicy } from './policy.ts'

const form = /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?$/

/** The admin UI where nobody said which origin it has: the host that was asked, on the UI's port. */
function isUiBeside(origin: string, host: string, uiPort: number | undefined): boolean {
  if (uiPort === undefined) return false
  const [, , name = '', port] = form.exec(origin) ?? []
  return name !== '' && Number(port) === uiPort && name.toLowerCase() === hostNameOf(host)
}

/** Whether a page of this origin may send a session's cookie and read what comes back. */
export function isCredentialedOrigin(exchange: Exchange, policy: EdgePolicy): boolean {
  const { origin, host } = exchange.head
  // Pages without an origin all say null: whoever lists that lists everybody's.
  if (origin === '' || origin === 'null') return false
  return policy.origins.has(origin) || (isUiBeside(origin, host, policy.uiPort) && !isDowngraded(exchange, policy))
}

/** Whether a write with a cookie may come from this page. None at all: no browser, or one that hides it; refused too. */
export function isOwnOrigin(exchange: Exchange, policy: EdgePolicy): boolean {
  if (isCredentialedOrigin(exchange, policy)) return true
  const { origin, host } = exchange.head
  if (origin === '') return false
  if (origin === policy.publicOrigin || origin === `https://${host}`) return true
  return origin === `http://${host}` && !isDowngraded(exchange, policy)
}

/** A page that came over plain HTTP may be anybody's on the way; where the service is reached over HTTPS it is not ours. */
function isDowngraded(exchange: Exchange, policy: EdgePolicy): boolean {
  return exchange.head.origin.startsWith('http:') && isSecure(exchange, policy)
}

/** Whether the client speaks HTTPS with us or with a proxy that we trust. */
export function isSecure(exchange: Exchange, policy: EdgePolicy): boolean {
  const proto = exchange.head.forwardedProto.split(',', 1)[0]?.trim().toLowerCase()
  return proto === 'https' && policy.isTrustedProxy(exchange.remoteAddress)
}

const hostNameOf = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase()
