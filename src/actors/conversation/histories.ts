/**
 * What was said in the conversations spoken with last, kept so that their next turn need not ask the database. One bound
 * for all of them: conversations come by the ten thousand, and memory does not.
 */
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../models/transport.ts'
import type { ConversationId } from '../../store/id.ts'

const charactersMax = 33_554_432

/** One that is longer than this is read from the database at each turn. */
const charactersOfOneMax = 2_097_152

/** What an object of a message weighs beside its text. */
const messageOverhead = 256

export interface Histories {
  get(conversation: ConversationId): readonly ChatMessage[] | undefined
  keep(conversation: ConversationId, messages: readonly ChatMessage[]): void
  /** Only the database knows from here on. */
  forget(conversation: ConversationId): void
  readonly size: number
}

export function histories(limits = { charactersMax, charactersOfOneMax }): Histories {
  const kept = new LRUCache<ConversationId, readonly ChatMessage[]>({
    maxSize: limits.charactersMax,
    maxEntrySize: limits.charactersOfOneMax,
    sizeCalculation: (messages) => messages.reduce((sum, message) => sum + charactersOf(message), messageOverhead),
  })
  return {
    get: (conversation) => kept.get(conversation),
    keep: (conversation, messages) => void kept.set(conversation, messages),
    forget: (conversation) => void kept.delete(conversation),
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
