/** `POST /v1/admin/conversations/fork`: a new conversation with the messages of another, all or up to one of them. */
import { z } from 'zod'
import { type CopyRefusal, copiedMessagesMax, forkConversation } from '../../../store/conversations/copies.ts'
import { ConversationId, MessageId, newConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { ApiError, badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { noConversation } from './conversation-view.ts'

export const CopyTitle = z.string().trim().max(200).optional().describe('Left out: the title of the original.')

export const fork = route({
  method: 'POST',
  path: '/v1/admin/conversations/fork',
  summary: 'Fork a conversation',
  description:
    'Copies the messages in the order in which the model gets them, without superseded ones. The copy belongs to no channel. ' +
    `At most ${copiedMessagesMax} messages are copied.`,
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({
    conversation_id: ConversationId,
    until_message_id: MessageId.optional().describe('The last message of the copy; left out: the newest.'),
    title: CopyTitle,
  }),
  answers: {
    200: z.object({
      ok: z.literal(true),
      conversation_id: ConversationId.describe('Of the copy.'),
      parent_id: ConversationId,
      messages: z.int().describe('How many were copied.'),
    }),
  },
  async handle(call) {
    const { conversation_id: source, until_message_id: until = null, title = null } = call.body
    const id = newConversationId()
    const copied = await forkConversation(call.app.db, auditActor(call), { source, id, until, title })
    if (typeof copied === 'string') throw copyRefusal(copied, 'until_message_id')
    return { ok: true, conversation_id: id, parent_id: source, messages: copied }
  },
})

/** @param param the field that names the message */
export function copyRefusal(why: CopyRefusal, param: string): ApiError {
  switch (why) {
    case 'unknown':
      return noConversation()
    case 'unknown_message':
      return notFound('There is no such message in this conversation.')
    case 'not_of_a_user':
      return badRequest('Only a message of the user can be replaced.', param)
    case 'too_long': {
      const message = `More than ${copiedMessagesMax} messages would be copied; choose an earlier message.`
      return new ApiError('conversation_too_long', message, { param })
    }
    default:
      return why satisfies never
  }
}
