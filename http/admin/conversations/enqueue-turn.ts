/** Queues a turn that an operator asked for: a place in the backlog first, the store next, then the word to whoever runs it. */
import { conversation } from '../../../actors/conversation/actor.ts'
import type { LaneKey } from '../../../actors/queue/turn-queue.ts'
import type { ConversationId } from '../../../store/id.ts'
import type { App } from '../../app.ts'
import { ApiError } from '../../error.ts'

/**
 * @param store resolves to whether a turn was stored, with whatever else it found
 * @throws ApiError 429 when as many turns wait as may; nothing is stored then
 */
export async function enqueueTurn<Result>(
  app: App,
  at: { conversation: ConversationId; lane: LaneKey },
  store: () => Promise<Result>,
  isStored: (result: Result) => boolean,
): Promise<Result> {
  const { queue, feed } = app.services
  if (!queue.reserve(at.lane)) throw backlogFull()
  let isQueued = false
  try {
    const result = await store()
    isQueued = isStored(result)
    return result
  } finally {
    if (isQueued) {
      queue.add(at.conversation, at.lane, 1, true)
      feed.wake()
    } else queue.release(at.lane)
  }
}

/** The store was changed behind the conversation's back: what it remembers of the past no longer holds. */
export function forgetHistory(app: App, id: ConversationId): void {
  app.system.actor(conversation, id).tell('forget', {})
}

function backlogFull(): ApiError {
  const message = 'As many turns wait already as may wait here; try again later.'
  return new ApiError(429, 'rate_limit_error', 'backlog_full', message, { headers: { 'retry-after': '2' } })
}
