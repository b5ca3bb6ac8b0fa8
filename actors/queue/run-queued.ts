/** Runs what the queue says is next, on the conversation's actor. */
import type { System } from '../../runtime/actor/system.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { ConversationId } from '../../store/id.ts'
import type { Channels } from '../channel/channels.ts'
import { conversation } from '../conversation/actor.ts'
import type { LaneKey, RunResult } from './turn-queue.ts'

/** After a failure that is nobody's in particular: the database is away, the actor crashed. */
const againAfterMs = 2_000

export async function runQueued(
  parts: { system: System; channels: Channels; log: Log },
  id: ConversationId,
  lane: LaneKey,
): Promise<RunResult> {
  const isTogether = lane !== 'none' && parts.channels.byId(lane)?.policy.answers === 'together'
  try {
    return await parts.system
      .actor(conversation, id)
      .ask('work', { isTogether }, { deadlineMs: Number.POSITIVE_INFINITY })
  } catch (error) {
    parts.log.warn({ err: error, conversation: id }, 'a queued turn could not be run now; it is tried again')
    return { taken: 0, againAfterMs }
  }
}
