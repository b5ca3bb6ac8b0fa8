/** The part of an address that identifies a client: of IPv6 the /64 network, in which a client can use any address. */
import ipaddr from 'ipaddr.js'

/** The IPv4 address, or the first 64 bits of the IPv6 one. Other text is returned unchanged. */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
