/** What an IP address is to whoever wants to call it: the public internet, the operator's own network, or nothing to be called at all. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * public: the internet. private: loopback and the operator's own networks. never: not to be called on anybody's word,
 * such as a cloud's metadata service, multicast, or an IPv6 form that carries an IPv4 address past a check.
 */
export type AddressKind = 'public' | 'private' | 'never'

const privateRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Services of clouds to their machines, which hand out credentials, outside 169.254.0.0/16. */
const metadataAddresses = [
  '168.63.129.16', // Azure
  '100.100.100.200', // Alibaba
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
].map((address) => ipaddr.parse(address).toNormalizedString())

/** All that IANA has given out for unicast; what lies outside of it leads nowhere or into a tunnel. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** @param address as a resolver or a socket gives it, without brackets; anything that is no plain address is `never` */
export function addressKind(address: string): AddressKind {
  // A zone names an interface of this machine; ipaddr.js alone would take octal and hexadecimal forms too.
  if (isIP(address) === 0 || address.includes('%')) return 'never'
  const parsed = ipaddr.parse(address)
  if (metadataAddresses.includes(parsed.toNormalizedString())) return 'never'
  const range = parsed.range()
  if (privateRanges.has(range)) return 'private'
  if (range !== 'unicast') return 'never'
  if (parsed.kind() === 'ipv4') return 'public'
  const ipv6 = parsed as ipaddr.IPv6
  return ipv6.match(globalUnicast) && !isIsatap(ipv6) ? 'public' : 'never'
}

/** Two spellings of one address are the same: `::1` and `0:0:0:0:0:0:0:1`. */
export function isSameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString()
}

/** An interface identifier of RFC 5214: its last four bytes are an IPv4 address that a tunnel would call. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}
