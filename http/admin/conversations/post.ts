/** `POST /v1/admin/conversations/post`: posts a message to a conversation, and has it answered. */
import { z } from 'zod'
import { readConversation } from '../../../store/conversations/list.ts'
import { postMessage } from '../../../store/conversations/turns.ts'
import { ConversationId, MessageId, newMessageId, newTurnId, TurnId } from '../../../store/id.ts'
import { operatorOf } from '../../../store/owner-id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { noConversation } from './conversation-view.ts'

/** More than the context of any model, and far below the bound of a body. */
export const PostedText = z.string().max(200_000).regex(/\S/, 'must not be empty')

export const postToConversation = route({
  method: 'POST',
  path: '/v1/admin/conversations/post',
  summary: 'Post a message and start a turn',
  description:
    'Answers once the message is stored and its turn waits. The answer of the agent comes by GET /v1/events/stream, /v1/web/stream or ' +
    'the messages of the conversation. In a conversation of a channel the answer is delivered there.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({ conversation_id: ConversationId, text: PostedText }),
  answers: {
    200: z.object({ ok: z.literal(true), conversation_id: ConversationId, message_id: MessageId, turn_id: TurnId }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const known = await readConversation(app.db, principal.workspaceId, body.conversation_id)
    if (!known) throw noConversation()
    const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: body.text } }
    const operatorId = operatorOf(principal.owner)
    const turn = { id: newTurnId(), apiKeyId: principal.keyId, operatorId, node: app.services.leases.node }
    const outcome = await app.services.queue.enter(
      known.channelId ?? 'none',
      () => postMessage(app.db, auditActor(call), { conversation: known.id, message, turn }),
      (result) => (result === 'posted' ? known.id : null),
    )
    if (outcome === 'unknown') throw noConversation()
    return { ok: true, conversation_id: known.id, message_id: message.id, turn_id: turn.id }
  },
})
