/** Who guesses, as far as an address can tell: of IPv6 the network, since everybody has as many addresses in it as they like. */
import ipaddr from 'ipaddr.js'

/** One IPv4 address, or the first 64 bits of one of IPv6. What is no address stays as it is. */
export function clientNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}
