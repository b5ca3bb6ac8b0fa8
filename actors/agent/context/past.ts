/**
 * The messages of a conversation before a turn, as far as a model can be told of them: read once, then carried from turn to
 * turn by whoever writes the conversation.
 */
import type { ChatMessage } from '../../../models/transport.ts'
import type { StoredSummary } from '../../../store/conversations/summaries.ts'

/** A message and its place in the order of turns; those of one turn share it. */
export interface PastMessage {
  message: ChatMessage
  turnSeq: number
}

/** The same as a read of the store would give. */
export interface ConversationPast {
  summary: StoredSummary | null
  /** Where the context begins; a summary that is stored later must still find it there. */
  contextAfterSeq: number
  /** The messages since the summary, in the order of turns: the newest `pastMessagesMax`. */
  messages: readonly PastMessage[]
}

/** Messages of the past that a turn is told at most, whatever the length of the conversation. */
export const pastMessagesMax = 500

/** Past these the oldest are summarised, however short they are, before the bound above leaves them out. */
export const unsummarisedMax = 450

export const emptyPast: ConversationPast = { summary: null, contextAfterSeq: 0, messages: [] }

/** @param summary one that was made meanwhile: it replaces the messages that it covers */
export function extendPast(
  past: ConversationPast,
  added: readonly PastMessage[],
  summary: StoredSummary | null,
): ConversationPast {
  const messages = [...past.messages, ...added]
  // The question of a turn that waited has its place before an answer that was given meanwhile.
  if (!isInOrder(messages, past.messages.length)) messages.sort((a, b) => a.turnSeq - b.turnSeq)
  const first = summary ? messages.findIndex(({ turnSeq }) => turnSeq > summary.seq) : 0
  return {
    summary: summary ?? past.summary,
    contextAfterSeq: past.contextAfterSeq,
    messages: first === -1 ? [] : messages.slice(Math.max(first, messages.length - pastMessagesMax)),
  }
}

function isInOrder(messages: readonly PastMessage[], from: number): boolean {
  for (let at = Math.max(1, from); at < messages.length; at++)
    if ((messages[at]?.turnSeq ?? 0) < (messages[at - 1]?.turnSeq ?? 0)) return false
  return true
}
