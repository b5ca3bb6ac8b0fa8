/** Messages that a model must be told together or not at all: calls of tools with what they returned. */
import type { ChatMessage } from '../../../models/transport.ts'

/** The messages from `from` up to `to` (exclusive). */
export interface MessageGroup {
  from: number
  to: number
}

export function groupMessages(messages: readonly ChatMessage[]): MessageGroup[] {
  const groups: MessageGroup[] = []
  for (const [at, message] of messages.entries()) {
    const last = groups.at(-1)
    if (last && isResult(message) && callsTools(messages[last.from])) last.to = at + 1
    else groups.push({ from: at, to: at + 1 })
  }
  return groups
}

/** Results at the beginning whose calls were left behind: endpoints refuse them. @returns how many */
export function orphansBefore(messages: readonly ChatMessage[]): number {
  const first = messages.findIndex((message) => !isResult(message))
  return first === -1 ? messages.length : first
}

/** What the turn answers, where people wrote it: the newest messages of users that stand together. */
export function newestUserMessages(messages: readonly ChatMessage[]): MessageGroup | null {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last === -1) return null
  let from = last
  while (messages[from - 1]?.role === 'user') from--
  return { from, to: last + 1 }
}

/** `function` is how tools were called before; clients still send it. */
function isResult({ role }: ChatMessage): boolean {
  return role === 'tool' || role === 'function'
}

function callsTools(message: ChatMessage | undefined): boolean {
  if (message?.role !== 'assistant') return false
  const { tool_calls: calls, function_call: call } = message
  return (Array.isArray(calls) && calls.length > 0) || (typeof call === 'object' && call !== null)
}
