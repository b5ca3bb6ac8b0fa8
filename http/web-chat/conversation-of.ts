/** Which conversation a caller may watch: the one of its ticket, or any that it reaches. */
import { conversationExists } from '../../store/conversations/history.ts'
import type { ConversationId } from '../../store/id.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import { badRequest, notFound } from '../error.ts'

/** The deltas of a running turn are found by the conversation alone, so access is checked here. @throws ApiError */
export async function conversationOf(
  { app, principal }: { app: App; principal: Principal },
  requested: ConversationId | undefined,
): Promise<ConversationId> {
  if (principal.conversationId) return principal.conversationId
  if (!requested) throw badRequest('conversation_id is required with a key or a session.', 'conversation_id')
  if (!(await conversationExists(app.db, reachOf(principal), requested)))
    throw notFound('There is no such conversation in this workspace.')
  return requested
}
