/** A conversation as the API shows it. */
import { z } from 'zod'
import type { ConversationRecord } from '../../../store/conversations/list.ts'
import { ConversationId, WorkspaceId } from '../../../store/id.ts'
import { type ApiError, notFound } from '../../error.ts'

export const ConversationView = z.object({
  id: ConversationId,
  title: z.string(),
  workspace_id: WorkspaceId,
  project_id: z.string().nullable(),
  folder: z.string().nullable(),
  tags: z.array(z.string()),
  channel: z.string().nullable().describe('The name of its channel.'),
  external_id: z.string().nullable().describe('The sender’s id in the channel.'),
  last_seq: z.int().describe('Of its newest message; messages are numbered from 1 without gaps.'),
  context_after_seq: z.int().describe('Messages up to this one are no longer sent to the model.'),
  parent_id: ConversationId.nullable().describe('The conversation that it was forked from.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  active_at: z.iso.datetime().describe('When something was last said, to the minute.'),
})
export type ConversationView = z.infer<typeof ConversationView>

export function viewOf(conversation: ConversationRecord): ConversationView {
  return {
    id: conversation.id,
    title: conversation.title,
    workspace_id: conversation.workspaceId,
    project_id: conversation.projectId,
    folder: conversation.folder,
    tags: conversation.tags,
    channel: conversation.channel,
    external_id: conversation.externalId,
    last_seq: conversation.lastSeq,
    context_after_seq: conversation.contextAfterSeq,
    parent_id: conversation.parentId,
    created_at: conversation.createdAt.toISOString(),
    updated_at: conversation.updatedAt.toISOString(),
    active_at: conversation.activeAt.toISOString(),
  }
}

export const noConversation = (): ApiError => notFound('There is no such conversation in this workspace.')
