/** `POST /v1/admin/conversations/feedback`: thumbs up or down on an answer. */
import { z } from 'zod'
import { rateMessage } from '../../../store/conversations/writes.ts'
import { ConversationId, MessageId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const Rating = z.union([z.literal(-1), z.literal(0), z.literal(1)])

export const giveFeedback = route({
  method: 'POST',
  path: '/v1/admin/conversations/feedback',
  summary: 'Rate an answer',
  description: 'A second rating replaces the first, including its comment.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({
    message_id: MessageId,
    rating: Rating.describe('1 good, -1 bad, 0 neither.'),
    comment: z
      .string()
      .trim()
      .max(2_000)
      .nullable()
      .default(null)
      .transform((text) => text || null),
  }),
  answers: {
    200: z.object({ ok: z.literal(true), message_id: MessageId, conversation_id: ConversationId, rating: Rating }),
  },
  async handle(call) {
    const { message_id, rating, comment } = call.body
    const rated = await rateMessage(call.app.db, auditActor(call), message_id, { rating, comment })
    if (rated === 'unknown') throw notFound('There is no such message in this workspace.')
    if (rated === 'not_an_answer') throw badRequest('Only messages of the assistant can be rated.', 'message_id')
    return { ok: true, message_id, conversation_id: rated.conversation, rating }
  },
})
