/** Pages that may act with an operator's session: the admin UI's and the gateway's own, and no others, whatever SameSite says. */
import type { Exchange } from '../server/exchange.ts'
import type { EdgePolicy } from './policy.ts'

const form = /^(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?$/

/** The admin UI where nobody said which origin it has: the host that was asked, on the UI's port. */
export function isUiBeside(origin: string, host: string, uiPort: number | undefined): boolean {
  if (uiPort === undefined) return false
  const [, , name = '', port] = form.exec(origin) ?? []
  return name !== '' && Number(port) === uiPort && name.toLowerCase() === hostNameOf(host)
}

/** Whether a write with a cookie may come from this page. None at all: no browser, or one that hides it; refused too. */
export function isOwnOrigin(exchange: Exchange, policy: EdgePolicy): boolean {
  const { origin, host } = exchange.head
  if (origin === '') return false
  if (policy.origins.has(origin) || isUiBeside(origin, host, policy.uiPort)) return true
  return origin === policy.publicOrigin || origin === `http://${host}` || origin === `https://${host}`
}

/** Whether the client speaks HTTPS with us or with a proxy that we trust. */
export function isSecure(exchange: Exchange, policy: EdgePolicy): boolean {
  const proto = exchange.head.forwardedProto.split(',', 1)[0]?.trim().toLowerCase()
  return proto === 'https' && policy.isTrustedProxy(exchange.remoteAddress)
}

const hostNameOf = (host: string): string => host.replace(/:\d{1,5}$/, '').toLowerCase()
