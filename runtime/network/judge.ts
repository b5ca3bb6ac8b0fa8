/**
 * Judges whether the service may connect to a host at somebody's wish: its name, and every address of that name. The one
 * judge of outgoing addresses: of tools, channels, and whatever else connects to where a person, a tenant or a model says.
 */
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Failure } from '../failure.ts'
import { type AddressKind, addressKind, isSameAddress } from './addresses.ts'
import type { Allowlist } from './allowlist.ts'
import { hostNameKind } from './host-names.ts'

/**
 * There is no connection, for a reason that its message may tell anybody: it says nothing of what a name resolves to inside,
 * or of what is there. The cause is for the operator's log.
 */
export class OutgoingRefused extends Failure {
  readonly code: 'busy' | 'name_not_found' | 'refused_address' | 'refused_host' | 'unreachable'
  constructor(code: OutgoingRefused['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** All addresses of a name. @throws where the name has none; OutgoingRefused `busy`; the signal's reason when it aborts in the line */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>

export interface HostAndPort {
  /** Without brackets, as the URL parser writes it. */
  host: string
  port: number
}

export interface Judged {
  /** The connection goes to one of these, and the name is not resolved again. */
  addresses: readonly string[]
  /** All of them are the operator's own. */
  isInternal: boolean
}

export interface OutgoingRules {
  /** An exact entry may be internal, as may an address in a listed network; a wildcard may not. */
  allow: Allowlist
  /** Only what is on the list. */
  isOnlyListed: boolean
  /** A host that a setting of the owner names: it may be internal, and with `isOnlyListed` it must be, or be on the list. */
  ownersHost?: HostAndPort
  resolve: Resolve
  /** The kind of an address. Replaced only in tests. */
  judge: (address: string) => AddressKind
}

const addressesMax = 64

/** @throws OutgoingRefused, the signal's reason */
export async function judgeHost(
  { host, port }: HostAndPort,
  { allow, isOnlyListed, ownersHost, resolve, judge }: OutgoingRules,
  signal: AbortSignal,
): Promise<Judged> {
  const match = allow.match(host, port)
  const isOwners = ownersHost?.host === host && ownersHost.port === port
  const isAddress = isIP(host) !== 0
  const mayBePublic = !isOnlyListed || match !== 'none' || (isAddress && allow.hasNetworkOf(host))
  // Before the name is resolved: a lookup alone can send data out.
  if (!mayBePublic && !isOwners) throw refusedHost(host)
  const isNamed = match === 'exact' || isOwners
  const mayBeInternal = isNamed || allow.hasNetworks
  const addresses = isAddress ? [host] : await addressesOf(host, mayBeInternal, () => resolve(host, signal))
  const kinds = addresses.map((address) => judge(address))
  if (!mayBePublic && kinds.includes('public')) throw refusedHost(host)
  const isAllowed = (kind: AddressKind, at: number) =>
    kind === 'public' || (kind === 'private' && (isNamed || allow.hasNetworkOf(addresses[at] ?? '')))
  // One bad address among good ones is a way around such a check.
  if (!kinds.every(isAllowed)) throw refusedAddress(host)
  return { addresses, isInternal: kinds.every((kind) => kind === 'private') }
}

function refusedHost(host: string): OutgoingRefused {
  return new OutgoingRefused('refused_host', `${host} is refused: it is not among the hosts that the operator allows.`)
}

export function refusedAddress(host: string): OutgoingRefused {
  return new OutgoingRefused(
    'refused_address',
    `${host} is refused: its address is not one that may be called from here.`,
  )
}

async function addressesOf(
  host: string,
  mayBeInternal: boolean,
  lookUp: () => ReturnType<Resolve>,
): Promise<readonly string[]> {
  const kind = hostNameKind(host)
  if (kind === 'never' || (kind === 'internal' && !mayBeInternal)) throw refusedAddress(host)
  const addresses = await lookUp().catch((cause: unknown) => {
    if (cause instanceof OutgoingRefused) throw cause
    throw new OutgoingRefused('name_not_found', `The name ${host} was not found.`, { cause })
  })
  if (addresses.length === 0) throw new OutgoingRefused('name_not_found', `The name ${host} has no address.`)
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
