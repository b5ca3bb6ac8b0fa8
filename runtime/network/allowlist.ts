/** What an operator allows: `example.com`, `*.example.com`, `example.com:8443`, `10.0.0.7`, `[fd00::1]:80`, `10.0.0.0/8`. */
import { BlockList, isIP } from 'node:net'

/**
 * exact: the operator named the host itself, which may then be internal. wildcard: the operator named a domain above it,
 * which does not open internal addresses: whoever can create names there would reach the internal network.
 */
export type AllowMatch = 'exact' | 'wildcard' | 'none'

export interface Allowlist {
  /** No entries. A list whose entries cannot be read is not empty: it allows nothing. */
  readonly isEmpty: boolean
  /** As written in the setting. */
  readonly entries: readonly string[]
  /** Entries that cannot be read and match nothing. */
  readonly unreadable: readonly string[]
  /** @param host as `hostOf` gives it @param port the one that is connected to */
  match(host: string, port: number): AllowMatch
  /** There are networks in CIDR form. */
  readonly hasNetworks: boolean
  /** The address is in one of them. */
  hasNetworkOf(address: string): boolean
}

interface Entry {
  host: string
  port: number | undefined
  isWildcard: boolean
}

/** @param coversSubdomains an entry of a name stands for all names below it too */
export function allowlist(entries: readonly string[], coversSubdomains = false): Allowlist {
  const networks = new BlockList()
  const networkTexts = entries.filter((text) => addNetwork(networks, text))
  const read = entries.filter((text) => !networkTexts.includes(text)).map((text) => ({ text, entry: parseEntry(text) }))
  const validEntries = read.flatMap(({ entry }) => entry ?? [])
  return {
    isEmpty: entries.length === 0,
    entries,
    unreadable: read.filter(({ entry }) => !entry).map(({ text }) => text),
    match(host, port) {
      let found: AllowMatch = 'none'
      for (const entry of validEntries) {
        if (entry.port !== undefined && entry.port !== port) continue
        if (!entry.isWildcard && entry.host === host) return 'exact'
        if ((entry.isWildcard || coversSubdomains) && isBelow(host, entry.host)) found = 'wildcard'
      }
      return found
    },
    hasNetworks: networkTexts.length > 0,
    hasNetworkOf(address) {
      const family = isIP(address)
      return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** @returns whether the text is a network */
function addNetwork(networks: BlockList, text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false
  networks.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return true
}

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/** A host and, where it is named, its port; the parser of URLs brings both into the form that it gives those of a URL. */
export function hostAndPort(text: string): { host: string; port: number | undefined } | undefined {
  const authority = isIP(text) === 6 ? `[${text}]` : text
  if (authority === '' || /[\s/\\?#@%]/.test(authority)) return undefined
  // Taken from the text: the parser of URLs would drop the default port.
  const port = /:(\d{1,5})$/.exec(authority.replace(/^\[[^\]]*\]/, ''))?.[1]
  if (!URL.canParse(`http://${authority}`)) return undefined
  const host = hostOf(new URL(`http://${authority}`))
  if (host === '' || host.includes('*') || host.endsWith('.')) return undefined
  return { host, port: port === undefined ? undefined : Number(port) }
}

function parseEntry(text: string): Entry | undefined {
  const isWildcard = text.startsWith('*.')
  const named = hostAndPort(isWildcard ? text.slice(2) : text)
  if (!named || (isWildcard && isIP(named.host) !== 0)) return undefined
  return { ...named, isWildcard }
}

function isBelow(host: string, domain: string): boolean {
  return isIP(domain) === 0 && host.endsWith(`.${domain}`)
}
