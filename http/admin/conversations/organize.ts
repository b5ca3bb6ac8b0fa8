/** `POST /v1/admin/conversations/organize`: sets the folder and tags of a conversation. */
import { z } from 'zod'
import { tagsMax } from '../../../store/conversations/bulk.ts'
import { organizeConversation } from '../../../store/conversations/writes.ts'
import { ConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { noConversation } from './conversation-view.ts'

/** Null or empty: no folder. Left out: unchanged. */
export const NewFolder = z
  .string()
  .trim()
  .max(200)
  .nullable()
  .optional()
  .transform((folder) => (folder === '' ? null : folder))

/** Without repetitions. */
export const Tags = z
  .array(z.string().trim().min(1).max(100))
  .max(tagsMax)
  .transform((tags) => [...new Set(tags)])

export const organize = route({
  method: 'POST',
  path: '/v1/admin/conversations/organize',
  summary: 'Set folder and tags of a conversation',
  description: 'A field that is left out does not change. Folder null or empty: no folder.',
  tag: 'conversations',
  access: admin('conversations.write'),
  body: z.strictObject({
    conversation_id: ConversationId,
    folder: NewFolder,
    tags: Tags.optional(),
  }),
  answers: {
    200: z.object({
      ok: z.literal(true),
      conversation_id: ConversationId,
      folder: z.string().nullable(),
      tags: z.array(z.string()),
    }),
  },
  async handle(call) {
    const { conversation_id, folder, tags } = call.body
    if (folder === undefined && tags === undefined)
      throw badRequest('There is nothing to set: give a folder or tags.', 'folder')
    const order = await organizeConversation(call.app.db, auditActor(call), conversation_id, { folder, tags })
    if (order === 'unknown') throw noConversation()
    return { ok: true, conversation_id, ...order }
  },
})
