/** Kinds of host names, told apart before their addresses are looked up. */

/** internal: a name that only a private network resolves. never: a cloud's metadata service. */
export type HostNameKind = 'ordinary' | 'internal' | 'never'

/** RFC 6761, 6762, 8375, ICANN's `internal`, and endings that private networks use without a registration. */
const internalEndings = ['localhost', 'local', 'localdomain', 'internal', 'intranet', 'private', 'lan', 'home', 'corp']
const internalDomains = ['home.arpa', ...internalEndings]

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'instance-data',
  'instance-data.ec2.internal',
])

/** @param host as the URL parser returns it: lower case, ASCII, no address */
export function hostNameKind(host: string): HostNameKind {
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  if (metadataNames.has(name)) return 'never'
  // A name of one word is looked up in the machine's own search domains.
  if (!name.includes('.')) return 'internal'
  return internalDomains.some((domain) => name.endsWith(`.${domain}`)) ? 'internal' : 'ordinary'
}
