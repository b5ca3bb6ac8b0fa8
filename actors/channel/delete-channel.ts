/** Deletes a channel: it is closed, what is open of it is cancelled, and then it is gone. Repeated after a failure, it goes on. */
import type { System } from '../../runtime/actor/system.ts'
import type { AuditActor } from '../../store/audit/audit.ts'
import { notifyChange } from '../../store/changes.ts'
import {
  cancelDeliveriesOfChannel,
  closeChannel,
  deleteChannelRow,
  type EndedTurnOfChannel,
  endTurnsOfChannel,
} from '../../store/channel-deletion.ts'
import type { ChannelId, WorkspaceId } from '../../store/id.ts'
import { conversation } from '../conversation/actor.ts'
import type { Services } from '../services.ts'

interface Parts {
  services: Pick<Services, 'db' | 'queue' | 'feed' | 'channels'>
  system: Pick<System, 'actor'>
}

export interface Cancelled {
  turns: number
  deliveries: number
}

/** @returns how much was cancelled; null: there is no such channel any more */
export async function deleteChannel(
  parts: Parts,
  { id, workspaceId }: { id: ChannelId; workspaceId: WorkspaceId },
  actor: AuditActor,
): Promise<Cancelled | null> {
  const { db, channels, feed } = parts.services
  const place = { workspace: workspaceId, channel: id }
  await closeChannel(db, place)
  await spread()
  const cancelled = await endAll()
  const isDeleted = await deleteChannelRow(db, id, { actor, cancelled })
  await spread()
  // What was being stored when the channel was closed.
  const late = await endAll()
  return isDeleted ? { turns: cancelled.turns + late.turns, deliveries: cancelled.deliveries + late.deliveries } : null

  async function spread(): Promise<void> {
    await notifyChange(db, 'channels')
    await channels.refresh()
  }

  /** The turns first: one that is cancelled makes no delivery. */
  async function endAll(): Promise<Cancelled> {
    const sum: Cancelled = { turns: 0, deliveries: 0 }
    for (;;) {
      const ended = await endTurnsOfChannel(db, place)
      if (ended.length === 0) break
      sum.turns += ended.length
      for (const turn of ended) forget(parts, id, turn)
    }
    for (;;) {
      const deliveries = await cancelDeliveriesOfChannel(db, place)
      if (deliveries === 0) break
      sum.deliveries += deliveries
    }
    feed.wake()
    return sum
  }
}

/** In this process, as after a cancellation of the turn alone. */
function forget({ services, system }: Parts, lane: ChannelId, ended: EndedTurnOfChannel): void {
  if (ended.statusBefore === 'running')
    system.actor(conversation, ended.conversation).tell('cancel', { turnId: ended.turn })
  else if (ended.statusBefore === 'waiting') services.queue.found({ conversation: ended.conversation, lane, turns: 0 })
  else services.queue.cancelled(ended.conversation, lane)
}
