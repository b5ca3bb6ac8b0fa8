/** Connects only to addresses that were judged before, whatever the name resolves to since (DNS rebinding). */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { isSameAddress } from './addresses.ts'
import { refusedAddress } from './judge.ts'

/** @param signal ends a connection attempt; undici would leave it to the system */
export function pinnedConnector(addresses: readonly string[], signal: AbortSignal): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const target = { host: hostname, lookup: lookupOf(addresses), autoSelectFamily: true, noDelay: true }
    const isTls = protocol === 'https:'
    const socket: Socket = isTls
      ? connectTls({
          ...target,
          port: Number(port || 443),
          ALPNProtocols: ['http/1.1'],
          // RFC 6066, 3: an address is no server name.
          ...(isIP(hostname) === 0 && { servername: hostname }),
        })
      : connectTcp({ ...target, port: Number(port || 80) })
    let isDone = false
    const fail = (error: Error) => {
      if (isDone) return
      isDone = true
      signal.removeEventListener('abort', abort)
      socket.destroy()
      callback(error, null)
    }
    const abort = () => fail(signal.reason instanceof Error ? signal.reason : new Error('the request was cancelled'))
    signal.addEventListener('abort', abort, { once: true })
    socket.on('error', fail)
    socket.once('close', () => fail(new Error('the connection was closed')))
    // Before anything of the request is sent.
    socket.once('connect', () => {
      if (!addresses.some((address) => isSameAddress(address, socket.remoteAddress ?? '')))
        fail(refusedAddress(hostname))
    })
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      if (isDone) return
      isDone = true
      signal.removeEventListener('abort', abort)
      callback(null, socket)
    })
  }
}

/** No real lookup. Node does not call it for a literal address; that is checked on the socket. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first = { address: '', family: 0 }] = answers
  return (_host, options, callback) => {
    if (options.all) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}
