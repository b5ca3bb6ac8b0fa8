/** Judges whether a URL may be called, again for each hop: its form, its host name, and every address of that name. */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AddressKind, addressKind, isSameAddress } from '../../runtime/network/addresses.ts'
import { hostNameKind } from '../../runtime/network/host-names.ts'
import { ToolFailed } from '../tool.ts'
import { type Allowlist, hostOf, portOf } from './allowlist.ts'
import type { Resolve } from './resolve.ts'

/** The only place where a request may go. */
export interface Target {
  url: URL
  host: string
  /** Judged; the connection goes to one of these, and the name is not resolved again. */
  addresses: readonly string[]
  /** All of them are the operator's own. */
  isInternal: boolean
}

export interface TargetRules {
  /** An exact entry may be internal, a wildcard may not; while the list is empty, every public address is allowed. */
  allow: Allowlist
  /** Only hosts on the list; an empty list allows nothing. It opens no internal address. */
  isAirgapped: boolean
  resolve: Resolve
  /** The kind of an address. Replaced only in tests. */
  judge: (address: string) => AddressKind
}

const urlCharactersMax = 8_192
const addressesMax = 64

/** @throws ToolFailed `bad_url`, `refused_host`, `refused_address`, `name_not_found`, and what `resolve` throws of it */
export async function judgeTarget(url: URL, rules: TargetRules, signal: AbortSignal): Promise<Target> {
  const host = hostOf(url)
  const match = rules.allow.match(host, portOf(url))
  // Before the name is resolved: a lookup alone can send data out.
  if (match === 'none' && (rules.isAirgapped || !rules.allow.isEmpty))
    throw new ToolFailed('refused_host', `${host} is refused: it is not among the hosts that the operator allows.`)
  const lookUp = () => rules.resolve(host, signal)
  const addresses = isIP(host) === 0 ? await addressesOf(host, match === 'exact', lookUp) : [host]
  const kinds = addresses.map((address) => rules.judge(address))
  const isAllowed = (kind: AddressKind) => kind === 'public' || (kind === 'private' && match === 'exact')
  // One bad address among good ones is a way around such a check.
  if (!kinds.every(isAllowed)) throw refusedAddress(host)
  return { url, host, addresses, isInternal: kinds.every((kind) => kind === 'private') }
}

/** @throws ToolFailed `bad_url` */
export function readUrl(text: string, base?: URL): URL {
  if (text.length > urlCharactersMax)
    throw new ToolFailed('bad_url', `The URL is longer than ${urlCharactersMax} characters.`)
  if (!URL.canParse(text, base?.href))
    throw new ToolFailed('bad_url', 'This is not a URL; write it in full, with https://.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolFailed('bad_url', 'Only http and https URLs can be called.')
  if (url.username !== '' || url.password !== '')
    throw new ToolFailed('bad_url', 'A URL with a user name or a password in it is refused; leave that part out.')
  if (url.hostname.endsWith('.')) throw new ToolFailed('bad_url', 'The host ends in a dot; write it without.')
  if (url.href.length > urlCharactersMax)
    throw new ToolFailed('bad_url', `The URL is longer than ${urlCharactersMax} characters.`)
  return url
}

/** The message says no more: what a name resolves to inside must not be revealed. */
export function refusedAddress(host: string): ToolFailed {
  return new ToolFailed('refused_address', `${host} is refused: its address is not one that may be called from here.`)
}

async function addressesOf(
  host: string,
  mayBeInternal: boolean,
  lookUp: () => ReturnType<Resolve>,
): Promise<readonly string[]> {
  const kind = hostNameKind(host)
  if (kind === 'never' || (kind === 'internal' && !mayBeInternal)) throw refusedAddress(host)
  const addresses = await lookUp().catch((cause: unknown) => {
    if (cause instanceof ToolFailed) throw cause
    throw new ToolFailed('name_not_found', `The name ${host} was not found.`, { cause })
  })
  if (addresses.length === 0) throw new ToolFailed('name_not_found', `The name ${host} has no address.`)
  if (addresses.length > addressesMax) throw refusedAddress(host)
  return addresses
}

/** A public address of this machine reaches services behind the firewall, so it counts as internal. */
export function addressKindFromHere(address: string, own: () => readonly string[] = ownAddresses): AddressKind {
  const kind = addressKind(address)
  return kind === 'public' && own().some((held) => isSameAddress(held, address)) ? 'private' : kind
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((held) => held?.map(({ address }) => address) ?? [])
}
