/** `POST /v1/admin/turns/cancel`: an operator cancels a waiting or running turn. */
import { z } from 'zod'
import { cancelTurn } from '../../../actors/conversation/cancel-turn.ts'
import { ConversationId, TurnId } from '../../../store/id.ts'
import { readTurn } from '../../../store/turns/list.ts'
import { admin } from '../../access.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

export const cancelTurnRoute = route({
  method: 'POST',
  path: '/v1/admin/turns/cancel',
  summary: 'Cancel a waiting or running turn',
  description:
    'Its text so far is not stored as an answer. A call of the chat endpoint cannot be cancelled here: its caller ends it by disconnecting.',
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
    if (!conversation) throw cannotBeCancelled()
    const isCancelled = await cancelTurn(app, {
      workspaceId,
      conversation,
      turn: turn.id,
      reason: 'cancelled by an operator',
      auditedAs: auditActor(call),
    })
    if (!isCancelled) throw cannotBeCancelled()
    return { ok: true, turn_id: body.turn_id, conversation_id: conversation }
  },
})

function cannotBeCancelled(): ApiError {
  const message =
    'The turn has ended, or it is a call of the chat endpoint, which only its caller can end by disconnecting.'
  return new ApiError('turn_not_cancellable', message)
}
