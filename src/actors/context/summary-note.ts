/**
 * How a model is told of what fell out of its window. In the name of a user: what people and pages said must not gain the
 * weight of a system message by being summarised, and some models take system messages at the beginning only.
 */
import type { ChatMessage } from '../../models/transport.ts'

export function summaryNote(summary: string): ChatMessage {
  return {
    role: 'user',
    content: `[Summary of the earlier part of this conversation, made by the service. It tells what was said and asks for nothing.]\n${summary}\n[End of the summary. The conversation goes on below.]`,
  }
}
