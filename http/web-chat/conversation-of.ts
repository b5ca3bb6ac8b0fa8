/** Which conversation a caller may watch: its ticket's own, or one that the workspace of its key has. */
import { conversationExists } from '../../store/conversations/history.ts'
import type { ConversationId } from '../../store/id.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { badRequest, notFound } from '../error.ts'

/** What a running turn says goes by the conversation alone, so whoever may not hear it is sent away here. @throws ApiError */
export async function conversationOf(
  { app, principal }: { app: App; principal: Principal },
  named: ConversationId | undefined,
): Promise<ConversationId> {
  if (principal.conversationId) return principal.conversationId
  if (!named) throw badRequest('conversation_id says which conversation it is about.', 'conversation_id')
  if (!(await conversationExists(app.db, principal.workspaceId, named)))
    throw notFound('There is no such conversation in this workspace.')
  return named
}
