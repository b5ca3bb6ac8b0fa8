/** `GET /v1/admin/conversations/messages`: the messages of a conversation, in pages from its end. */
import { z } from 'zod'
import { readConversation } from '../../../store/conversations/list.ts'
import { type MessageRecord, messagesBefore } from '../../../store/conversations/messages.ts'
import { ConversationId, MessageId, TurnId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { noConversation } from './conversation-view.ts'

export const MessageView = z.object({
  id: MessageId,
  seq: z.int(),
  role: z.string(),
  content: z.unknown().describe('Text, or the posted parts; null: the message has none.'),
  name: z.string().optional(),
  tool_calls: z.unknown().optional(),
  tool_call_id: z.unknown().optional(),
  details: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Metadata, attachments, and when it was written, as posted by its channel.'),
  turn_id: TurnId,
  superseded_by: MessageId.nullable().describe('The answer that replaces it.'),
  feedback: z.object({ rating: z.int(), comment: z.string().nullable() }).nullable(),
  created_at: z.iso.datetime(),
})

export const listMessages = route({
  method: 'GET',
  path: '/v1/admin/conversations/messages',
  summary: 'Read the messages of a conversation',
  description:
    'The newest messages before before_seq, oldest first. A page has at most 8 MiB, so it may have fewer than limit.',
  tag: 'conversations',
  access: admin('conversations.read'),
  query: z.object({
    id: ConversationId.describe('The conversation.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    before_seq: z.coerce.number().int().min(1).max(2_147_483_647).optional().describe('next_before_seq of an answer.'),
  }),
  answers: {
    200: z.object({
      conversation_id: ConversationId,
      messages: z.array(MessageView),
      next_before_seq: z.int().nullable().describe('Null: there are no earlier messages.'),
      last_seq: z.int(),
    }),
  },
  async handle({ app, query, principal }) {
    const { workspaceId } = principal
    const [conversation, messages] = await Promise.all([
      readConversation(app.db, workspaceId, query.id),
      messagesBefore(app.db, workspaceId, query.id, {
        beforeSeq: query.before_seq ?? 2_147_483_647,
        limit: query.limit,
      }),
    ])
    if (!conversation) throw noConversation()
    const first = messages[0]?.seq ?? 1
    return {
      conversation_id: query.id,
      messages: messages.map(messageView),
      next_before_seq: first > 1 ? first : null,
      last_seq: conversation.lastSeq,
    }
  },
})

export function messageView({ body, ...message }: MessageRecord): z.infer<typeof MessageView> {
  const { content = null, name, tool_calls, tool_call_id } = body
  return {
    id: message.id,
    seq: message.seq,
    role: message.role,
    content,
    ...(typeof name === 'string' && { name }),
    ...(tool_calls !== undefined && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    details: message.details,
    turn_id: message.turnId,
    superseded_by: message.supersededBy,
    feedback: message.feedback,
    created_at: message.createdAt.toISOString(),
  }
}
