/** `POST /v1/admin/conversations/branch`: an edited message in place of an earlier one, in a copy of the conversation before it. */
import { z } from 'zod'
import { branchConversation } from '../../../store/conversations/copies.ts'
import { ConversationId, MessageId, newConversationId, newMessageId, newTurnId, TurnId } from '../../../store/id.ts'
import { operatorOf } from '../../../store/owner-id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { CopyTitle, copyRefusal } from './fork.ts'
import { PostedText } from './post.ts'

export const branch = route({
  method: 'POST',
  path: '/v1/admin/conversations/branch',
  summary: 'Fork before a message and post an edited one in its place',
  description: 'The original does not change. Answers once the edited message is stored and its turn waits.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({
    conversation_id: ConversationId,
    message_id: MessageId.describe('A message of the user; the messages before it are copied.'),
    text: PostedText.describe('The edited message.'),
    title: CopyTitle,
  }),
  answers: {
    200: z.object({
      ok: z.literal(true),
      conversation_id: ConversationId.describe('Of the copy.'),
      parent_id: ConversationId,
      message_id: MessageId.describe('Of the edited message.'),
      turn_id: TurnId,
    }),
  },
  async handle(call) {
    const { app, body, principal } = call
    const id = newConversationId()
    const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: body.text } }
    const operatorId = operatorOf(principal.owner)
    const turn = { id: newTurnId(), apiKeyId: principal.keyId, operatorId, node: app.services.leases.node }
    const { conversation_id: source, message_id: instead, title = null } = body
    const copied = await app.services.queue.enter(
      'none',
      () => branchConversation(app.db, auditActor(call), { source, id, instead, message, turn, title }),
      (result) => (typeof result === 'number' ? id : null),
    )
    if (typeof copied === 'string') throw copyRefusal(copied, 'message_id')
    return { ok: true, conversation_id: id, parent_id: source, message_id: message.id, turn_id: turn.id }
  },
})
