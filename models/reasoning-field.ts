/** The field of a message in which sealed reasoning travels, from one call of a turn to its next. */
import type { ChatMessage } from './transport.ts'

export const reasoningField = 'reasoning_items'

/** For an endpoint that cannot open it, and for clients. The same message where it has none. */
export function withoutReasoning(message: ChatMessage): ChatMessage {
  if (message[reasoningField] === undefined) return message
  const { [reasoningField]: _, ...rest } = message
  return { ...rest, role: message.role }
}
