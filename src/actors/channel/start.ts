/** Opens the channels when the service starts and whenever they are changed, and brings the queue back that an earlier start left. */
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Changes } from '../../store/changes.ts'
import { writeSettingsChanged } from '../../store/events.ts'
import { type ChannelId, firstWorkspaceId, WorkspaceId } from '../../store/id.ts'
import { waitingConversations } from '../../store/queue.ts'
import type { Services } from '../services.ts'
import { channel } from './actor.ts'

/** More than may wait in all: nothing of the queue is left behind at a start. */
const waitingMax = 5_000_000

export async function startChannels(parts: {
  services: Services
  system: System
  changes: Changes
  log: Log
}): Promise<void> {
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
    queue.reconsider()
  })
  await channels.refresh()
  changes.onChange('channels', () => {
    channels
      .refresh()
      .catch((error: unknown) =>
        log.error({ err: error }, 'changed channels could not be read; those before them stay'),
      )
  })
  settings.onChange((changed) => {
    queue.reconsider()
    const named = settings.get('SERVICE_DEFAULT_WORKSPACE_ID')
    const workspaceId = named === '' ? firstWorkspaceId : WorkspaceId.parse(named)
    writeSettingsChanged(db, workspaceId, [...changed]).then(
      () => services.feed.wake(),
      (error: unknown) => log.warn({ err: error }, 'the event of a changed setting was not written'),
    )
  })
  const waiting = await waitingConversations(db, waitingMax)
  for (const { conversation, channelId, turns } of waiting) queue.add(conversation, channelId ?? 'none', turns)
  if (waiting.length > 0) log.info({ conversations: waiting.length }, 'queued turns were found and are run')
  if (settings.get('SERVICE_INBOUND_SECRET') === '')
    log.warn('SERVICE_INBOUND_SECRET is blank: whoever reaches POST /v1/inbound may post messages')
}
