/** All channels as they are configured now, in memory: intake asks for one with every message. */
import { type MasterKey, seal, unseal } from '../../config/seal.ts'
import { freshRead } from '../../runtime/fresh-read.ts'
import type { Log } from '../../runtime/log/log.ts'
import { channelTimes, readChannels, type StoredChannel } from '../../store/channels.ts'
import type { Database } from '../../store/database.ts'
import type { ChannelId, WorkspaceId } from '../../store/id.ts'
import type { LaneLimits } from '../queue/turn-queue.ts'
import type { ChannelAdapter } from './adapter.ts'
import { adapters } from './adapters.ts'
import { type Connections, connectionBoard } from './connections.ts'
import { ChannelPolicy } from './policy.ts'

export interface Channel extends Omit<StoredChannel, 'secrets' | 'adapter' | 'config'> {
  adapter: ChannelAdapter
  policy: ChannelPolicy
  /** The adapter's own part of the configuration. */
  config: unknown
  secrets: unknown
}

export interface Channels {
  byName(name: string): Channel | undefined
  byId(id: ChannelId): Channel | undefined
  all(): Iterable<Channel>
  limits(id: ChannelId | 'none'): LaneLimits
  /** Whether it has a connection to the outside: it is on, and sends or receives. */
  isOpen(id: ChannelId): boolean
  /** Whether senders can be shown that an answer is being made. */
  showsTyping(id: ChannelId): boolean
  /** Null: the answer is not sent anywhere. */
  deliveryFor(id: ChannelId): { ageMsMax: number } | null
  /** A delivery of the channel is stored and may be due. */
  wake(id: ChannelId): void
  /** The channel's actor has been woken: what is stored from now on wakes it again. */
  woken(id: ChannelId): void
  /**
   * Resolves when every change that was committed before the call has been read. The listener gets those channels that are new,
   * changed or deleted.
   */
  refresh(): Promise<void>
  /** Reads them again where one of the workspace has changed and the notice of it has not come yet, as of a change at another node. */
  catchUp(workspace: WorkspaceId): Promise<void>
  onChange(listener: (ids: readonly ChannelId[]) => void): void
  /** Written by the channels' actors, read by operators. */
  readonly connections: Connections
  /** The sealed secrets of a channel, for the store; null: it has none. */
  seal(name: string, secrets: object): string | null
}

/** Of conversations without a channel. */
const noChannel: LaneLimits = { turnsMax: 1_000, backlogMax: 100_000, isPaused: false }

const secretsName = (channel: string): string => `channel/${channel}`

export function channelDirectory(parts: {
  db: Database
  log: Log
  masterKey: () => MasterKey
  /** Tells the channel's actor. */
  onWake(id: ChannelId): void
}): Channels {
  const { db, log, masterKey, onWake } = parts
  let byId = new Map<ChannelId, Channel>()
  let byName = new Map<string, Channel>()
  const woken = new Set<ChannelId>()
  const connections = connectionBoard()
  let listener: (ids: readonly ChannelId[]) => void = () => {}

  function unsealed(stored: StoredChannel): Channel | undefined {
    const adapter = adapters.get(stored.adapter)
    if (!adapter) {
      log.error(
        { channel: stored.name, adapter: stored.adapter },
        'this version has no such adapter; the channel is off',
      )
      return undefined
    }
    try {
      const { policy, ...config } = stored.config
      const sealed = stored.secrets
      const secrets = sealed === null ? {} : JSON.parse(unseal(masterKey(), secretsName(stored.name), sealed))
      return {
        ...stored,
        adapter,
        policy: ChannelPolicy.parse(policy ?? {}),
        config: adapter.config.parse(config),
        secrets: adapter.secrets.parse(secrets),
      }
    } catch (error) {
      log.error(
        { channel: stored.name, err: error },
        'the configuration of a channel cannot be read; the channel is off',
      )
      return undefined
    }
  }

  async function read(): Promise<void> {
    const stored = await readChannels(db)
    const before = byId
    byId = new Map()
    byName = new Map()
    for (const one of stored) {
      const previous = before.get(one.id)
      const channel = previous?.updatedAt.getTime() === one.updatedAt.getTime() ? previous : unsealed(one)
      if (!channel) continue
      byId.set(channel.id, channel)
      byName.set(channel.name, channel)
    }
    connections.keep(new Set(byId.keys()))
    const ids = new Set([...before.keys(), ...byId.keys()])
    const changed = [...ids].filter((id) => before.get(id) !== byId.get(id))
    if (changed.length > 0) listener(changed)
  }
  const refresh = freshRead(read)

  return {
    connections,
    byName: (name) => byName.get(name),
    byId: (id) => byId.get(id),
    all: () => byId.values(),
    limits(id) {
      if (id === 'none') return noChannel
      const channel = byId.get(id)
      if (!channel) return { ...noChannel, isPaused: true }
      const { turns_max, backlog_max } = channel.policy
      return { turnsMax: turns_max, backlogMax: backlog_max, isPaused: channel.isPaused || !channel.isEnabled }
    },
    isOpen(id) {
      const channel = byId.get(id)
      if (!channel?.isEnabled) return false
      return channel.adapter.delivers(channel.config) || channel.adapter.receives(channel.config)
    },
    showsTyping(id) {
      const channel = byId.get(id)
      return channel?.isEnabled === true && channel.adapter.showsTyping === true
    },
    deliveryFor(id) {
      const channel = byId.get(id)
      if (!channel?.adapter.delivers(channel.config)) return null
      return { ageMsMax: channel.policy.age_max_s * 1_000 }
    },
    wake(id) {
      if (woken.has(id)) return
      woken.add(id)
      // One message for all deliveries that are stored until the actor handles it, so that the mailbox does not fill up.
      setImmediate(() => {
        try {
          onWake(id)
        } catch (error) {
          woken.delete(id)
          log.warn(
            { err: error, channel: id },
            'an outbox could not be woken for a delivery; it checks again by itself',
          )
        }
      })
    },
    woken: (id) => void woken.delete(id),
    refresh,
    async catchUp(workspace) {
      const stored = await channelTimes(db, workspace)
      const count = byId.values().reduce((sum, { workspaceId }) => sum + (workspaceId === workspace ? 1 : 0), 0)
      const isCurrent = ({ id, updatedAt }: { id: ChannelId; updatedAt: Date }) =>
        byId.get(id)?.updatedAt.getTime() === updatedAt.getTime()
      if (count !== stored.length || !stored.every(isCurrent)) await refresh()
    },
    onChange(next) {
      listener = next
    },
    seal: (name, secrets) =>
      Object.keys(secrets).length === 0 ? null : seal(masterKey(), secretsName(name), JSON.stringify(secrets)),
  }
}
