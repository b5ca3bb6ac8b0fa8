/** What a model is told of the past of a stored conversation. */
import type { ChatMessage } from '../../models/transport.ts'
import { loadMessages } from '../../store/history.ts'
import type { ConversationId } from '../../store/id.ts'
import type { ClaimedTurn } from '../../store/queue.ts'
import type { ConversationContext } from './state.ts'

/** Messages of the past that go to the model: the newest, whatever the length of the conversation. */
export const historyMessagesMax = 500

/** What stands before the messages that the turn answers, in the order of turns; those that wait behind it are left out. */
export async function historyBefore(
  context: ConversationContext,
  conversation: ConversationId,
  turn: ClaimedTurn,
): Promise<readonly ChatMessage[]> {
  const { db, histories } = context.services
  const kept = histories.get(conversation)
  if (kept) return kept
  const stored = (await loadMessages(db, turn.workspaceId, conversation, historyMessagesMax)) ?? []
  return stored.filter(({ turnSeq }) => turnSeq < turn.seqFrom).map(({ body }) => body as ChatMessage)
}
