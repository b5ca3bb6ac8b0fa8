/** The judge with the operator's rules, for whatever connects out at somebody's wish: a tenant's, or that of a setting. */
import { isIP } from 'node:net'
import type { buildConnector } from 'undici'
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../log/log.ts'
import { seconds } from '../time/duration.ts'
import { allowlist, hostOf, portOf } from './allowlist.ts'
import {
  addressKindFromHere,
  type HostAndPort,
  type Judged,
  judgeHost,
  OutgoingRefused,
  type OutgoingRules,
  type Resolve,
} from './judge.ts'
import { pinnedConnector } from './pinned-connection.ts'
import { createResolver } from './resolver.ts'

const connectMs = seconds(10)

export interface Outgoing {
  /** Where the host may be connected to now: to these addresses, without another lookup. @throws OutgoingRefused, the signal's reason */
  judged(target: HostAndPort, signal: AbortSignal): Promise<Judged>
  /** The same for an address in a setting that only owners change: that host and port may be internal. */
  judgedForOwner(ownersAddress: URL, signal: AbortSignal): Promise<Judged>
  /** For undici: judges the host anew at each connect, and connects only to what was judged. */
  readonly connector: buildConnector.connector
  /** The same for such an address. Any other, such as the target of a redirect, is judged as one that a tenant names. */
  connectorFor(ownersAddress: URL): buildConnector.connector
  /**
   * Why there is no connection to what was judged, in words for everybody: of an internal address nothing, since somebody
   * could look around there by what the system says. That goes to the log.
   */
  failure(target: HostAndPort & Pick<Judged, 'isInternal'>, error: Error): Error
  /** The same of a connection that failed after it was made, such as to a server that does not speak HTTP. */
  laterFailure(address: URL, error: Error): Promise<Error>
}

export interface OutgoingOptions {
  settings: Pick<Settings, 'get'>
  /** The operator's: it gets what tenants are not told. */
  log?: Log
  resolve?: Resolve
  judge?: OutgoingRules['judge']
}

export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { settings, log, resolve = createResolver(), judge = addressKindFromHere } = options

  function judged({ host, port }: HostAndPort, signal: AbortSignal, ownersHost?: HostAndPort): Promise<Judged> {
    const rules: OutgoingRules = {
      // Read at each connect: the list is live.
      allow: allowlist(settings.get('SERVICE_OUTGOING_ALLOWLIST')),
      isOnlyListed: settings.get('SERVICE_AIRGAPPED'),
      ...(ownersHost && { ownersHost }),
      resolve,
      judge,
    }
    return judgeHost({ host: host.toLowerCase(), port }, rules, signal).catch((error: unknown) => {
      if (!(error instanceof OutgoingRefused) || error.code === 'busy') throw error
      log?.info({ host, port, code: error.code, err: error.cause ?? error }, 'an outgoing connection is not made')
      throw forEverybody(error, host)
    })
  }

  function failure({ host, port, isInternal }: HostAndPort & Pick<Judged, 'isInternal'>, error: Error): Error {
    if (!isInternal || isOfTrust(error)) return error
    log?.info({ host, port, reason: reasonOf(error) }, 'an outgoing connection to an internal address failed')
    return new OutgoingRefused('unreachable', `${host} cannot be reached.`, { cause: error })
  }

  function connector(ownersHost?: HostAndPort): buildConnector.connector {
    return (connect, callback) => {
      const signal = AbortSignal.timeout(connectMs)
      const host = unbracketed(connect.hostname)
      const port = Number(connect.port || (connect.protocol === 'https:' ? 443 : 80))
      judged({ host, port }, signal, ownersHost).then(
        ({ addresses, isInternal }) =>
          pinnedConnector(addresses, signal)(connect, (...[error, socket]) => {
            if (error) callback(failure({ host, port, isInternal }, error), null)
            else callback(null, socket)
          }),
        (error: unknown) => callback(error instanceof Error ? error : new Error('refused'), null),
      )
    }
  }

  return {
    judged: (target, signal) => judged(target, signal),
    judgedForOwner: (address, signal) => judged(targetOf(address), signal, targetOf(address)),
    connector: connector(),
    connectorFor: (address) => connector(targetOf(address)),
    failure,
    async laterFailure(address, error) {
      if (error instanceof OutgoingRefused) return error
      const target = targetOf(address)
      return await judged(target, AbortSignal.timeout(connectMs)).then(
        ({ isInternal }) => failure({ ...target, isInternal }, error),
        (refusal: unknown) => (refusal instanceof Error ? refusal : error),
      )
    },
  }
}

export const targetOf = (address: URL): HostAndPort => ({ host: hostOf(address), port: portOf(address) })

/** Only messages of the system: others may quote what was sent, or what the server answered. */
function reasonOf(error: Error): string {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (syscall !== undefined) return error.message
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}

/** A certificate or a missing STARTTLS is for whoever configures the channel: only a server that was meant gets that far. */
const isOfTrust = ({ message }: Error): boolean =>
  /certificate|altnames|TLS/.test(message) && !/SSL routines/.test(message)

const unbracketed = (host: string): string => {
  const inner = host.startsWith('[') ? host.slice(1, -1) : host
  return isIP(inner) === 6 ? inner : host
}

/**
 * One message for a name that is unknown and for one that leads inside: else anybody could learn the names of the internal
 * network. With what the owner of the installation can do about it.
 */
function forEverybody(error: OutgoingRefused, host: string): OutgoingRefused {
  const hint = 'The owner of the installation can allow it in SERVICE_OUTGOING_ALLOWLIST.'
  const isOfName = error.code !== 'refused_host' && isIP(host) === 0
  const message = isOfName
    ? `${host} was not found, or its address is not one that may be called from here.`
    : error.message
  return new OutgoingRefused(error.code, `${message} ${hint}`, { cause: error })
}
