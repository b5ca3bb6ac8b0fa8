/** `POST /v1/admin/turns/cancel`: an operator stops a turn that waits or runs. */
import { z } from 'zod'
import { conversation as conversationActor } from '../../../actors/conversation/actor.ts'
import { ConversationId, TurnId } from '../../../store/id.ts'
import { readTurn } from '../../../store/turns/list.ts'
import { cancelTurn } from '../../../store/turns/queue.ts'
import { admin } from '../../access.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

export const cancelTurnRoute = route({
  method: 'POST',
  path: '/v1/admin/turns/cancel',
  summary: 'Cancel a turn that waits or runs',
  description:
    'What it has said so far is not kept as an answer. A call of the chat endpoint is ended by its caller, who hangs up.',
  tag: 'turns',
  access: admin('conversations.write'),
  body: z.strictObject({ turn_id: TurnId }),
  answers: { 200: z.object({ ok: z.literal(true), turn_id: TurnId, conversation_id: ConversationId }) },
  async handle(call) {
    const { app, body, principal } = call
    const { workspaceId } = principal
    const turn = await readTurn(app.db, workspaceId, body.turn_id)
    if (!turn) throw notFound('There is no such turn in this workspace.')
    const conversation = turn.conversationId
    const at = conversation && { conversation, turn: turn.id }
    const cancelled = at && (await cancelTurn(app.db, workspaceId, at, 'cancelled by an operator', auditActor(call)))
    if (!at || !cancelled) throw cannotBeCancelled()
    if (cancelled.wasRunning)
      app.system.actor(conversationActor, at.conversation).tell('cancel', { turnId: body.turn_id })
    // Nothing overtakes a turn that was put aside: what was said after it, or is said now, waits for this word.
    if (cancelled.wasPaused) app.services.queue.add(at.conversation, cancelled.channelId ?? 'none', cancelled.queued)
    app.services.feed.wake()
    return { ok: true, turn_id: body.turn_id, conversation_id: at.conversation }
  },
})

function cannotBeCancelled(): ApiError {
  const message = 'It has ended, or its caller waits for it at the chat endpoint and ends it by hanging up.'
  return new ApiError(409, 'invalid_request_error', 'turn_not_cancellable', message)
}
