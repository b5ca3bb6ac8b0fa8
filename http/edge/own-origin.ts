/** Which pages may use an operator's session: only those of the admin UI and the gateway, whatever SameSite allows. */
import { isIPv4 } from 'node:net'
import type { Exchange } from '../server/exchange.ts'
import type { EdgePolicy } from './policy.ts'

const form = /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?$/

/**
 * Whether the origin is that of the admin UI where SERVICE_WEBUI_ORIGIN is not set: the requested host, on the UI's port, under
 * a name that is ours. Anybody can let a name of theirs lead here, so what the request names proves nothing.
 */
function isUiBeside(origin: string, host: string, { uiPort, ownNames }: EdgePolicy): boolean {
  if (uiPort === undefined) return false
  const [, , given = '', port] = form.exec(origin) ?? []
  const name = given.toLowerCase()
  return Number(port) === uiPort && name === hostNameOf(host) && (isAddress(name) || ownNames.has(name))
}

/** Nobody else can be at an address, nor at localhost. */
function isAddress(name: string): boolean {
  return isIPv4(name) || name.startsWith('[') || name === 'localhost' || name.endsWith('.localhost')
}

/** Whether a page of this origin may send a session's cookie and read what comes back. */
export function isCredentialedOrigin(exchange: Exchange, policy: EdgePolicy): boolean {
  const { origin, host } = exchange.head
  // All pages without an origin send null, so listing it would allow any page.
  if (origin === '' || origin === 'null') return false
  return policy.origins.has(origin) || (isUiBeside(origin, host, policy) && !isDowngraded(exchange, policy))
}

/** Whether a write with a cookie may come from this page. Refused without an Origin header too. */
export function isOwnOrigin(exchange: Exchange, policy: EdgePolicy): boolean {
  if (isCredentialedOrigin(exchange, policy)) return true
  const { origin, host } = exchange.head
  if (origin === '') return false
  if (origin === policy.publicOrigin || origin === `https://${host}`) return true
  return origin === `http://${host}` && !isDowngraded(exchange, policy)
}

/** A page over plain HTTP can be changed on the way; where the service is reached over HTTPS, it is not trusted. */
function isDowngraded(exchange: Exchange, policy: EdgePolicy): boolean {
  return exchange.head.origin.startsWith('http:') && isSecure(exchange, policy)
}

/** Whether the client uses HTTPS, according to a trusted proxy. */
export function isSecure(exchange: Exchange, policy: EdgePolicy): boolean {
  const proto = exchange.head.forwardedProto.split(',', 1)[0]?.trim().toLowerCase()
  return proto === 'https' && policy.isTrustedProxy(exchange.remoteAddress)
}

const hostNameOf = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase()
