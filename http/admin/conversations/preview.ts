/** A conversation with what tells it apart: its first words, its newest message and that one's turn. */
import { z } from 'zod'
import { previewLengthMax } from '../../../store/conversations/body-preview.ts'
import type { ConversationRecord } from '../../../store/conversations/list.ts'
import { conversationPreviews } from '../../../store/conversations/previews.ts'
import type { Database } from '../../../store/database.ts'
import { TurnId, type WorkspaceId } from '../../../store/id.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import { turnStatuses } from '../../../store/turns/status.ts'
import { ConversationView, viewOf } from './conversation-view.ts'

export const ConversationWithPreview = ConversationView.extend({
  opening: z.string().nullable().describe(`The first ${previewLengthMax} characters of its first message.`),
  newest: z
    .object({
      role: z.string(),
      name: z.string().nullable().describe('Of the sender, where the channel tells it.'),
      text: z
        .string()
        .nullable()
        .describe(`Its first ${previewLengthMax} characters; null: it has no text, or much of it.`),
      at: z.iso.datetime(),
    })
    .nullable()
    .describe('The newest message.'),
  turn: z
    .object({ id: TurnId, agent: z.string().nullable(), status: z.enum(turnStatuses), origin: TurnOrigin })
    .nullable()
    .describe('That of the newest message.'),
})

export type ConversationWithPreview = z.infer<typeof ConversationWithPreview>

export async function withPreviews(
  db: Database,
  workspace: WorkspaceId,
  conversations: readonly ConversationRecord[],
): Promise<ConversationWithPreview[]> {
  const ids = conversations.map(({ id }) => id)
  const previews = await conversationPreviews(db, workspace, ids)
  return conversations.map((conversation) => {
    const { opening = null, newest = null, turn = null } = previews.get(conversation.id) ?? {}
    return {
      ...viewOf(conversation),
      opening,
      newest: newest && { ...newest, at: newest.at.toISOString() },
      turn,
    }
  })
}
