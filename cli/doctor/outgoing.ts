/** Which channels and MCP servers are at addresses that the judge of outgoing connections refuses, and what would allow them. */

import type { Settings } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import { allowlist } from '../../runtime/network/allowlist.ts'
import { type HostAndPort, OutgoingRefused, type Resolve } from '../../runtime/network/judge.ts'
import { openOutgoing, targetOf } from '../../runtime/network/outgoing.ts'
import { createResolver } from '../../runtime/network/resolver.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { StoredChannel } from '../../store/channels.ts'
import { mcpLimits } from '../../tools/mcp/limits.ts'
import { parseServerDescriptions } from '../../tools/mcp/server-description.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

/** For all names together: a name server may be down. */
const lookupsMs = seconds(10)

/** Of what is listed in one finding. */
const namedMax = 20

interface Destination extends HostAndPort {
  /** Of the channel or server. */
  name: string
}

/** `allowable`: by the owner's list. `never`: by nothing. */
type Verdict = 'allowed' | 'allowable' | 'never'

/** What cannot be looked up is passed over. @param channels of all workspaces */
export async function checkOutgoing(
  settings: Settings,
  channels: readonly StoredChannel[],
  resolve: Resolve = createResolver(),
): Promise<Finding[]> {
  const signal = AbortSignal.timeout(lookupsMs)
  const ofChannels = await channelDestinations(channels)
  const ofServers = serverDestinations(settings)
  const judged = async (settings: Pick<Settings, 'get'>, { host, port }: HostAndPort, owners?: URL) => {
    const outgoing = openOutgoing({ settings, resolve })
    return owners ? outgoing.judgedForOwner(owners, signal) : outgoing.judged({ host, port }, signal)
  }
  const verdictOn = async (destination: Destination & { owners?: URL }): Promise<Verdict> => {
    if (!(await isRefused(judged(settings, destination, destination.owners)))) return 'allowed'
    const allowing = withAllowed(settings, [entryOf(destination)])
    return (await isRefused(judged(allowing, destination, destination.owners))) ? 'never' : 'allowable'
  }
  return [
    ...unreadableEntries(settings),
    ...findings('channels', await sorted(ofChannels, verdictOn), { settings, problem: warning }),
    ...findings('MCP servers', await sorted(ofServers, verdictOn), { settings, problem: failed }),
  ]
}

async function sorted(
  destinations: readonly (Destination & { owners?: URL })[],
  verdictOn: (destination: Destination) => Promise<Verdict>,
): Promise<Record<Verdict, Destination[]>> {
  const verdicts = new Map<string, Verdict>()
  const found: Record<Verdict, Destination[]> = { allowed: [], allowable: [], never: [] }
  // One after the other: the resolver takes few at once.
  for (const destination of destinations) {
    const entry = entryOf(destination)
    const verdict = verdicts.get(entry) ?? (await verdictOn(destination))
    verdicts.set(entry, verdict)
    found[verdict].push(destination)
  }
  return found
}

async function isRefused(judging: Promise<unknown>): Promise<boolean> {
  try {
    await judging
    return false
  } catch (error) {
    return error instanceof OutgoingRefused && (error.code === 'refused_address' || error.code === 'refused_host')
  }
}

function findings(
  check: string,
  { allowed, allowable, never }: Record<Verdict, Destination[]>,
  { settings, problem }: { settings: Settings; problem: typeof warning },
): Finding[] {
  const found: Finding[] = []
  if (allowable.length > 0) {
    const entries = [...settings.get('SERVICE_OUTGOING_ALLOWLIST'), ...new Set(allowable.map(entryOf))]
    found.push(
      problem(
        check,
        `${named(allowable)} may not be connected to`,
        `If they are meant: ${commandName()} settings set SERVICE_OUTGOING_ALLOWLIST ${entries.join(',')}`,
      ),
    )
  }
  if (never.length > 0)
    found.push(
      problem(
        check,
        `${named(never)} may not be connected to, whatever the settings say`,
        'Link-local addresses, and those where clouds hand out credentials, are never called: correct the address.',
      ),
    )
  if (found.length === 0 && allowed.length > 0) found.push(ok(check, 'no address is refused'))
  return found
}

function unreadableEntries(settings: Settings): Finding[] {
  const { unreadable } = allowlist(settings.get('SERVICE_OUTGOING_ALLOWLIST'))
  if (unreadable.length === 0) return []
  const entries = unreadable.map((entry) => JSON.stringify(entry)).join(', ')
  const advice = 'An entry is a host, host:port or a network such as 10.0.0.0/8.'
  return [warning('settings', `SERVICE_OUTGOING_ALLOWLIST: ${entries} cannot be read and allows nothing`, advice)]
}

const named = (destinations: readonly Destination[]): string => {
  const texts = destinations.slice(0, namedMax).map((each) => `${each.name} (${entryOf(each)})`)
  const more = destinations.length - texts.length
  return more > 0 ? `${texts.join(', ')} and ${more} more` : texts.join(', ')
}

const entryOf = ({ host, port }: HostAndPort): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

function withAllowed(settings: Settings, more: readonly string[]): Pick<Settings, 'get'> {
  const allowed = [...settings.get('SERVICE_OUTGOING_ALLOWLIST'), ...more]
  const get = (key: Parameters<Settings['get']>[0]) =>
    key === 'SERVICE_OUTGOING_ALLOWLIST' ? allowed : settings.get(key)
  return { get: get as Settings['get'] }
}

/** Of channels that are on. One whose configuration cannot be read connects to nothing. */
async function channelDestinations(channels: readonly StoredChannel[]): Promise<Destination[]> {
  const open = channels.filter(({ isEnabled, config }) => isEnabled && Object.keys(config).length > 0)
  if (open.length === 0) return []
  // Loaded only where there are channels: the libraries of mail take a while.
  const { adapters } = await import('../../actors/channel/adapters.ts')
  return open.flatMap(({ name, adapter: kind, config: { policy: _, ...config } }) => {
    const adapter = adapters.get(kind)
    const parsed = adapter?.config.safeParse(config)
    return parsed?.success ? (adapter?.destinations(parsed.data) ?? []).map((target) => ({ ...target, name })) : []
  })
}

function serverDestinations(settings: Settings): (Destination & { owners: URL })[] {
  const { servers } = parseServerDescriptions(settings.get('SERVICE_MCP_SERVERS'), mcpLimits.serversMax)
  return servers.flatMap((server) => {
    if (server.kind !== 'http') return []
    const owners = new URL(server.url)
    return [{ ...targetOf(owners), name: server.name, owners }]
  })
}
