/** Opens the channels when the service starts and whenever they are changed. */
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import { type Random, systemRandom } from '../../runtime/random.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import type { ChannelId } from '../../store/id.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'
import type { Services } from '../services.ts'
import { channel } from './actor.ts'
import { adapterDependencies } from './adapter-dependencies.ts'

interface Dependencies {
  services: Services
  system: System
  changes: Changes
  clock: Clock
  random?: Random
  log: Log
}

export interface StartedChannels {
  /** Wakes every outbox now and then: news of a delivery may have been lost. */
  task: MaintenanceTask
  /** Channels have become this node's. */
  open(isGained: (channel: ChannelId) => boolean): void
}

export async function startChannels({
  services,
  system,
  changes,
  clock,
  random = systemRandom,
  log,
}: Dependencies): Promise<StartedChannels> {
  const { channels, leases, queue } = services
  const opened = new Set<ChannelId>()
  function takePosts(id: ChannelId): void {
    const configured = channels.isOpen(id) ? channels.byId(id) : undefined
    const receiver = configured?.adapter.posts?.(
      configured,
      adapterDependencies(services, configured, { clock, random }),
    )
    services.webhooks
      .takeForOthers(id, receiver)
      .catch((error: unknown) =>
        log.warn({ err: error, channel: id }, 'this node cannot listen for the webhooks of messengers'),
      )
  }

  channels.onChange((ids) => {
    for (const id of ids) {
      takePosts(id)
      // One that neither sends nor receives needs no actor, and one that is another node's has it there.
      if (leases.of(id) === undefined || (!channels.isOpen(id) && !opened.has(id))) continue
      if (channels.byId(id)) opened.add(id)
      else opened.delete(id)
      system.actor(channel, id).tell('open', {})
    }
    queue.limitsChanged()
  })
  await channels.refresh()
  changes.onChange('channels', () => {
    channels
      .refresh()
      .catch((error: unknown) =>
        log.error({ err: error }, 'changed channels could not be read; the previous ones stay in effect'),
      )
  })

  function wakeOutboxes(): void {
    for (const id of opened) {
      try {
        // Not by `channels.wake`, which is silent while an earlier message is under way: that one may be lost.
        if (channels.isOpen(id) && leases.of(id) !== undefined) system.actor(channel, id).tell('deliver', {})
      } catch (error) {
        log.warn({ err: error, channel: id }, 'a channel is too busy to check its outbox')
      }
    }
  }
  return {
    task: { name: 'outboxes', intervalMs: seconds(10), run: wakeOutboxes },
    open(isGained) {
      for (const { id } of channels.all()) {
        if (!isGained(id) || !channels.isOpen(id)) continue
        opened.add(id)
        system.actor(channel, id).tell('open', {})
      }
    },
  }
}
