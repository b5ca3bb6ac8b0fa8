/** SERVICE_AIRGAPPED for MCP servers: connections go to addresses that are not public, by literal, by name and as connected. */
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { McpConnectionFailed } from './connection-failed.ts'

const connectMs = 10_000

/** @param isAirgapped false: wherever the operator says */
export function connectorFor(isAirgapped: boolean): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs, allowH2: false, ...(isAirgapped && { lookup: internalLookup }) })
  if (!isAirgapped) return connect
  return (options, done) => {
    // Literals are not looked up.
    const literal = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) !== 0 && !isInternal(literal)) return done(refused(), null)
    connect(options, (error, socket) => {
      if (error) return done(error, null)
      if (isInternal(socket.remoteAddress ?? '')) return done(null, socket)
      socket.destroy()
      done(refused(), null)
    })
  }
}

const internalLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, [])
    const internal = addresses.filter(({ address }) => isInternal(address))
    const first = internal[0]
    if (!first) return done(refused(), [])
    if (options.all) done(null, internal)
    else done(null, first.address, first.family)
  })
}

/** Loopback, private networks, those shared behind a carrier's or an overlay's translation, and link-local ones; an IPv4 address in IPv6 clothes is judged as what it is. */
export function isInternal(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  return ['loopback', 'private', 'carrierGradeNat', 'uniqueLocal', 'linkLocal'].includes(
    ipaddr.process(address).range(),
  )
}

function refused(): McpConnectionFailed {
  return new McpConnectionFailed(
    'public_address',
    'its address is public, and the service is airgapped (SERVICE_AIRGAPPED)',
  )
}
