/** Runs the oldest turn of a conversation, on the conversation's actor. */
import { ActorStopped } from '../../runtime/actor/errors.ts'
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { ConversationId } from '../../store/id.ts'
import type { Channels } from '../channel/channels.ts'
import { conversation } from '../conversation/actor.ts'
import type { LaneKey } from './lane.ts'
import { interruptedAfterMs, type RunResult } from './run-result.ts'

/** After a failure that is not the turn's: the actor crashed. */
const retryAfterMs = 2_000

export async function runQueued(
  parts: { system: System; channels: Channels; log: Log },
  id: ConversationId,
  lane: LaneKey,
): Promise<RunResult> {
  const isMerged = lane !== 'none' && parts.channels.byId(lane)?.policy.answers === 'together'
  try {
    return await parts.system
      .actor(conversation, id)
      .ask('work', { isMerged }, { deadlineMs: Number.POSITIVE_INFINITY })
  } catch (error) {
    parts.log.warn({ err: error, conversation: id }, 'a queued turn could not be run; it is retried')
    const isInterrupted = error instanceof ActorStopped
    return { status: 'retry', merged: 0, afterMs: isInterrupted ? interruptedAfterMs : retryAfterMs }
  }
}
