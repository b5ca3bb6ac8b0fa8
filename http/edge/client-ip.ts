/** The client's address behind proxies. Only trusted proxies are believed, and only about the hop before them. */
import ipaddr from 'ipaddr.js'

export type AddressTest = (address: string) => boolean

const hopsMax = 50

/** The address without port and zone, with IPv4-mapped IPv6 as IPv4. Undefined for text that is not an address. */
export function plainAddress(text: string): string | undefined {
  const bare = text.trim()
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1]
  const withoutPort = bracketed ?? (/^[\d.]+:\d+$/.test(bare) ? bare.slice(0, bare.indexOf(':')) : bare)
  const address = withoutPort.split('%', 1)[0] ?? ''
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined
}

/**
 * The rightmost address that is not a trusted proxy: everything left of it can be forged.
 * @param remoteAddress the socket's peer
 * @param forwardedFor all X-Forwarded-For lines in order, joined by commas
 */
export function clientIpOf(remoteAddress: string, forwardedFor: string, isTrusted: AddressTest): string {
  let client = plainAddress(remoteAddress) ?? remoteAddress
  if (forwardedFor === '' || !isTrusted(client)) return client
  const hops = forwardedFor.split(',')
  for (let hop = hops.length - 1; hop >= 0 && hop >= hops.length - hopsMax; hop--) {
    const address = plainAddress(hops[hop] ?? '')
    if (address === undefined) return client
    client = address
    if (!isTrusted(client)) return client
  }
  return client
}

export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/** Tests whether an address is in any of `ranges` (CIDR ranges or single addresses). @throws RangeError with an invalid one */
export function addressTest(ranges: readonly string[]): AddressTest {
  const parsed = ranges.map(networkOf)
  return (text) => {
    if (parsed.length === 0 || !ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return parsed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
  }
}

/** Whether every address of a network is in one of `ranges`. @throws RangeError with an invalid one */
export function isNetworkWithin(range: string, ranges: readonly string[]): boolean {
  const [address, bits] = networkOf(range)
  return ranges.some((each) => {
    const [network, networkBits] = networkOf(each)
    return network.kind() === address.kind() && bits >= networkBits && address.match(network, networkBits)
  })
}

type Network = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

function networkOf(range: string): Network {
  if (!ipaddr.isValidCIDR(range)) {
    if (!ipaddr.isValid(range)) throw new RangeError(`${JSON.stringify(range)} is neither an address nor a CIDR range`)
    const address = ipaddr.process(range)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  const [network, bits] = ipaddr.parseCIDR(range)
  // IPv4-mapped IPv6 addresses of clients are compared as IPv4, so such ranges are too.
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96) {
    return [network.toIPv4Address(), bits - 96]
  }
  return [network, bits]
}
