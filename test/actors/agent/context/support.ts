/** Conversations to fit, and the real tokenizer with a count of what it was asked. */
import { type MessageTokens, messageTokens } from '../../../../actors/agent/context/message-tokens.ts'
import { tokenCounter } from '../../../../models/tokens.ts'
import type { ChatMessage } from '../../../../models/transport.ts'

export interface CountingTokens {
  tokens: MessageTokens
  /** Every text that went to the tokenizer. */
  counted: string[]
  close(): Promise<void>
}

export function countingTokens(): CountingTokens {
  const counter = tokenCounter({})
  const counted: string[] = []
  const tokens = messageTokens({
    ...counter,
    count(texts) {
      counted.push(...texts)
      return counter.count(texts)
    },
  })
  return { tokens, counted, close: () => counter.close() }
}

export const user = (content: ChatMessage['content']): ChatMessage => ({ role: 'user', content: content ?? null })
export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })
export const calling = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: `{"at":"${id}"}` } })),
})
export const result = (id: string, content = `found ${id}`): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

/** So many tokens, within a few: of the o200k vocabulary each of these words with its space is one. */
export function words(count: number, word = 'hello'): string {
  return Array.from({ length: count }, () => word).join(' ')
}

/** Questions and answers in turn, each of about `tokens` tokens; told apart by their numbers. */
export function exchanges(count: number, tokens = 50): ChatMessage[] {
  return Array.from({ length: count }, (_, at) => [
    user(`question ${at} ${words(tokens)}`),
    assistant(`answer ${at} ${words(tokens)}`),
  ]).flat()
}
