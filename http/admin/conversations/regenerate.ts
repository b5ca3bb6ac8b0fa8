/** `POST /v1/admin/conversations/regenerate`: the last message of the user is answered again. */
import { z } from 'zod'
import { readConversation } from '../../../store/conversations/list.ts'
import { regenerateAnswer } from '../../../store/conversations/turns.ts'
import { ConversationId, newTurnId, TurnId } from '../../../store/id.ts'
import { operatorOf } from '../../../store/owner-id.ts'
import { admin } from '../../access.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { noConversation } from './conversation-view.ts'
import { forgetHistory } from './forget-history.ts'

export const regenerate = route({
  method: 'POST',
  path: '/v1/admin/conversations/regenerate',
  summary: 'Answer the last message of the user again',
  description:
    'Answers once the turn waits. The new answer supersedes the previous one, which remains readable; a failed turn ' +
    'supersedes nothing. After a reset the message counts again.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({ conversation_id: ConversationId }),
  answers: { 200: z.object({ ok: z.literal(true), conversation_id: ConversationId, turn_id: TurnId }) },
  async handle(call) {
    const { app, body, principal } = call
    const known = await readConversation(app.db, principal.workspaceId, body.conversation_id)
    if (!known) throw noConversation()
    const operatorId = operatorOf(principal.owner)
    const turn = { id: newTurnId(), apiKeyId: principal.keyId, operatorId, node: app.services.leases.node }
    const outcome = await app.services.queue.enter(
      known.channelId ?? 'none',
      async () => {
        const stored = await regenerateAnswer(app.db, auditActor(call), known.id, turn)
        // Before the turn is queued: it must not use the history in memory.
        if (stored === 'queued') forgetHistory(app, known.id)
        return stored
      },
      (result) => (result === 'queued' ? known.id : null),
    )
    if (outcome === 'unknown') throw noConversation()
    if (outcome === 'busy') throw turnInProgress()
    if (outcome === 'no_message') throw badRequest('There is no message of a user to answer.', 'conversation_id')
    return { ok: true, conversation_id: known.id, turn_id: turn.id }
  },
})

function turnInProgress(): ApiError {
  const message = 'A turn of this conversation waits or runs. Try again when it has ended.'
  return new ApiError('turn_in_progress', message)
}
