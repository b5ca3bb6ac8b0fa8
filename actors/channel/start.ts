/** Opens the channels when the service starts and whenever they are changed, and brings the queue back that an earlier start left. */
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { Changes } from '../../store/changes.ts'
import { writeSettingsChanged } from '../../store/events/events.ts'
import { type ChannelId, firstWorkspaceId, WorkspaceId } from '../../store/id.ts'
import { findWaiting } from '../queue/find-waiting.ts'
import type { Services } from '../services.ts'
import { channel } from './actor.ts'

/** Whatever word was lost, an outbox is looked at this often. */
const lookMs = seconds(10)

/** @returns ends it */
export async function startChannels(parts: {
  services: Services
  system: System
  clock: Clock
  changes: Changes
  log: Log
}): Promise<() => void> {
  const { services, system, changes, log } = parts
  const { channels, queue, settings, db } = services
  const opened = new Set<ChannelId>()

  channels.onChange((ids) => {
    for (const id of ids) {
      // One with nothing to send and nothing to receive needs nobody.
      if (!channels.isOpen(id) && !opened.has(id)) continue
      opened.add(id)
      system.actor(channel, id).tell('open', {})
    }
    queue.limitsChanged()
  })
  await channels.refresh()
  changes.onChange('channels', () => {
    channels
      .refresh()
      .catch((error: unknown) =>
        log.error({ err: error }, 'changed channels could not be read; those before them stay'),
      )
    // Said also when the database is back: what was stored without an answer to us is found now.
    void findWaiting(parts, 0)
  })
  settings.onChange((changed) => {
    queue.limitsChanged()
    const named = settings.get('SERVICE_DEFAULT_WORKSPACE_ID')
    const workspaceId = named === '' ? firstWorkspaceId : WorkspaceId.parse(named)
    writeSettingsChanged(db, workspaceId, [...changed]).then(
      () => services.feed.wake(),
      (error: unknown) => log.warn({ err: error }, 'the event of a changed setting was not written'),
    )
  })
  await findWaiting(parts, 0)
  const { clock } = parts
  let timer = clock.after(lookMs, look)
  function look(): void {
    timer = clock.after(lookMs, look)
    for (const id of opened) {
      try {
        if (channels.isOpen(id)) system.actor(channel, id).tell('deliver', {})
      } catch (error) {
        log.warn({ err: error, channel: id }, 'a channel is too busy to look at its outbox')
      }
    }
  }
  return () => timer.cancel()
}
