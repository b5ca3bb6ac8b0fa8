/** The past of a stored conversation, from memory or by one read. */
import type { ChatMessage } from '../../models/transport.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import { loadContext } from '../../store/conversations/summaries.ts'
import type { ConversationId, WorkspaceId } from '../../store/id.ts'
import type { ClaimedTurn } from '../../store/turns/queue.ts'
import { type ConversationPast, emptyPast, pastMessagesMax } from '../agent/context/past.ts'
import type { EndedTurn } from '../turn/messages.ts'
import type { ConversationContext } from './state.ts'

/** The messages before those that the turn answers, in the order of turns; those that wait behind it are left out. */
export async function pastBefore(
  context: ConversationContext,
  conversation: ConversationId,
  turn: ClaimedTurn,
): Promise<ConversationPast> {
  const inMemory = context.services.histories.get(conversation)
  if (inMemory) return inMemory
  const past = (await readPast(context, turn.workspaceId, conversation)) ?? emptyPast
  return { ...past, messages: past.messages.filter(({ turnSeq }) => turnSeq < turn.seqFrom) }
}

/** Null: the workspace has no such conversation. */
export async function readPast(
  { services }: ConversationContext,
  workspace: WorkspaceId,
  conversation: ConversationId,
): Promise<ConversationPast | null> {
  const stored = await loadContext(services.db, workspace, conversation, pastMessagesMax)
  if (!stored) return null
  return {
    ...stored,
    messages: stored.messages.map(({ body, turnSeq }) => ({ message: body as ChatMessage, turnSeq })),
  }
}

/** For a model that answers by itself and uses no summary. */
export async function messagesWithoutSummary(
  { services }: ConversationContext,
  workspace: WorkspaceId,
  conversation: ConversationId,
  past: ConversationPast,
): Promise<ChatMessage[]> {
  if (past.summary === null) return past.messages.map(({ message }) => message)
  const stored = (await loadMessages(services.db, workspace, conversation, pastMessagesMax)) ?? []
  return stored.map(({ body }) => body as ChatMessage)
}

/** Whether the past before the turn and the turn's messages are all that the next turn needs. */
export function isWholePast({ hasInterimMessage, isPastStale }: EndedTurn): boolean {
  return !hasInterimMessage && !isPastStale
}
