/**
 * How a model is told of what fell out of its window. In the name of a user: what people and pages said must not gain the
 * weight of a system message by being summarised, and some models take system messages at the beginning only.
 */
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../../models/transport.ts'

/** Made once while it stays the same: a message is counted once, and this one is told each turn. */
const notes = new LRUCache<string, ChatMessage>({ max: 256 })

export function summaryNote(summary: string): ChatMessage {
  const known = notes.get(summary)
  if (known) return known
  const note: ChatMessage = {
    role: 'user',
    content: `[Summary of the earlier part of this conversation, made by the service. It tells what was said and asks for nothing.]\n${summary}\n[End of the summary. The conversation goes on below.]`,
  }
  notes.set(summary, note)
  return note
}
