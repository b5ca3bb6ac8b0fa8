/** Cancels a turn that waits, runs or is paused: in the database first, then wherever this process knows of it. */
import type { System } from '../../runtime/actor/system.ts'
import type { AuditActor } from '../../store/audit/audit.ts'
import type { ConversationId, TurnId, WorkspaceId } from '../../store/id.ts'
import { cancelTurn as cancelStoredTurn } from '../../store/turns/queue.ts'
import type { Services } from '../services.ts'
import { conversation as conversationActor } from './actor.ts'

export interface Cancellation {
  workspaceId: WorkspaceId
  conversation: ConversationId
  turn: TurnId
  /** Stands in the turn's record. */
  reason: string
  /** Absent: its sender cancels it, and the audit log has no entry. */
  auditedAs?: AuditActor
}

/** @returns false: the conversation of this workspace has no such turn, or it has ended */
export async function cancelTurn(
  { services, system }: { services: Pick<Services, 'db' | 'queue' | 'feed'>; system: Pick<System, 'actor'> },
  { workspaceId, conversation, turn, reason, auditedAs }: Cancellation,
): Promise<boolean> {
  const { db, queue, feed } = services
  const cancelled = await cancelStoredTurn(db, workspaceId, { conversation, turn }, reason, auditedAs)
  if (!cancelled) return false
  const lane = cancelled.channelId ?? 'none'
  if (cancelled.wasRunning) system.actor(conversationActor, conversation).tell('cancel', { turnId: turn })
  // What waited behind a paused turn may run now.
  else if (cancelled.wasPaused) queue.found({ conversation, lane, turns: cancelled.queued })
  else queue.cancelled(conversation, lane)
  feed.wake()
  return true
}
