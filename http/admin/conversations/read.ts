/** `GET /v1/admin/conversations/:conversation_id`: one conversation, without its messages. */
import { z } from 'zod'
import { readConversation } from '../../../store/conversations/list.ts'
import { ConversationId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { noConversation } from './conversation-view.ts'
import { ConversationWithPreview, withPreviews } from './preview.ts'

export const readConversationRoute = route({
  method: 'GET',
  path: '/v1/admin/conversations/:conversation_id',
  summary: 'Read a conversation',
  description: 'Title, folder, tags and origin. Its messages have their own list.',
  tag: 'conversations',
  access: admin('conversations.read'),
  params: z.object({ conversation_id: ConversationId }),
  answers: { 200: ConversationWithPreview },
  async handle({ app, params, principal }) {
    const found = await readConversation(app.db, principal.workspaceId, params.conversation_id)
    if (!found) throw noConversation()
    const [view] = await withPreviews(app.db, principal.workspaceId, [found])
    if (!view) throw noConversation()
    return view
  },
})
