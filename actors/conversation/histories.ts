/**
 * The past of the conversations spoken with last, kept so that their next turn need not ask the database, and counts no message that
 * was counted before. One bound for all of them: conversations come by the ten thousand, and memory does not.
 */
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../models/transport.ts'
import type { ConversationId } from '../../store/id.ts'
import type { ConversationPast } from '../agent/context/past.ts'

const charactersMax = 33_554_432

/** One that is longer than this is read from the database at each turn. */
const charactersOfOneMax = 2_097_152

/** Weight of a message beside its text. */
const messageOverhead = 256

export interface Histories {
  get(conversation: ConversationId): ConversationPast | undefined
  keep(conversation: ConversationId, past: ConversationPast): void
  /** Only the database knows from here on. */
  forget(conversation: ConversationId): void
  forgetAll(isStale: (conversation: ConversationId) => boolean): void
  readonly size: number
}

export function histories(limits = { charactersMax, charactersOfOneMax }): Histories {
  const kept = new LRUCache<ConversationId, ConversationPast>({
    maxSize: limits.charactersMax,
    maxEntrySize: limits.charactersOfOneMax,
    sizeCalculation: ({ summary, messages }) =>
      messages.reduce((sum, { message }) => sum + charactersOf(message), messageOverhead + (summary?.text.length ?? 0)),
  })
  return {
    get: (conversation) => kept.get(conversation),
    keep: (conversation, past) => void kept.set(conversation, past),
    forget: (conversation) => void kept.delete(conversation),
    forgetAll(isStale) {
      for (const conversation of kept.keys()) if (isStale(conversation)) kept.delete(conversation)
    },
    get size() {
      return kept.size
    },
  }
}

function charactersOf(message: ChatMessage): number {
  const { content, tool_calls: calls } = message
  const isPlain = typeof content === 'string' && calls === undefined
  return messageOverhead + (isPlain ? content.length : JSON.stringify(message).length)
}
