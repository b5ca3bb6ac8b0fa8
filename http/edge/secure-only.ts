/** SERVICE_REQUIRE_SECURE: plain HTTP is redirected to HTTPS where that is safe, else refused. */
import { ApiError } from '../error.ts'
import type { Exchange } from '../server/exchange.ts'
import { type AddressTest, isLoopback, plainAddress } from './client-ip.ts'

const hostName = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

export type InsecureRequest = { redirectTo: string } | { refusal: ApiError }

/** @param publicOrigin of SERVICE_PUBLIC_URL; undefined: the redirect goes to the requested host, without its port */
export function insecureRequest(
  exchange: Exchange,
  isTrusted: AddressTest,
  publicOrigin: string | undefined,
): InsecureRequest | undefined {
  const { head } = exchange
  const peer = plainAddress(exchange.remoteAddress) ?? ''
  if (isTrusted(peer) && head.forwardedProto.split(',', 1)[0]?.trim().toLowerCase() === 'https') return undefined
  if (isLoopback(exchange.clientIp)) return undefined
  const origin = publicOrigin?.startsWith('https://') ? publicOrigin : originOf(head.host)
  if ((head.method === 'GET' || head.method === 'HEAD') && origin) {
    return { redirectTo: `${origin}${head.path}${head.query === '' ? '' : `?${head.query}`}` }
  }
  return { refusal: new ApiError('https_required', 'This service accepts requests over HTTPS only.') }
}

function originOf(host: string): string | undefined {
  return hostName.test(host) ? `https://${host.replace(/:\d+$/, '')}` : undefined
}
