/** Kinds of IP addresses: of the public internet, of the operator's own network, or never to be called. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * public: the internet. private: loopback and the operator's own networks. never: must not be called whoever allows it,
 * such as a cloud's metadata service, multicast, or an IPv6 address that hides an IPv4 address from a check.
 */
export type AddressKind = 'public' | 'private' | 'never'

const privateRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])

/** Metadata services of clouds, which hand out credentials, outside 169.254.0.0/16. */
const metadataAddresses = [
  '168.63.129.16', // Azure
  '100.100.100.200', // Alibaba
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
].map((address) => ipaddr.parse(address).toNormalizedString())

/** All that IANA has assigned for unicast. Other addresses lead nowhere or into a tunnel. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** @param address as a resolver or a socket gives it, without brackets; anything else is `never` */
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

/** Whatever the spelling: `::1` is `0:0:0:0:0:0:0:1`. */
export function isSameAddress(one: string, other: string): boolean {
  if (isIP(one) === 0 || isIP(other) === 0) return false
  return ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString()
}

/** An interface identifier of RFC 5214: its last four bytes are an IPv4 address that a tunnel would call. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}
