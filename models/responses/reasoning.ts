/**
 * What a model thought between the calls of a turn: items that only the endpoint can open, given back to it so that it goes
 * on where it was instead of thinking all of it anew. They travel in a field of the message and no further than the turn.
 */
import { type Fields, isRecord } from '../http/fields.ts'
import type { ChatMessage } from '../transport.ts'

export const reasoningField = 'reasoning_items'

/** What makes an endpoint that keeps nothing give them. */
export const encryptedReasoning = 'reasoning.encrypted_content'

/** Of one answer; what is longer is thought anew. */
const charactersMax = 1_048_576

/** An item, and how many calls of the same answer stand before it: its place says what it led to. */
interface Placed {
  calls_before: number
  item: Fields
}

/** @returns undefined where there is nothing that could be given back */
export function reasoningIn(output: readonly unknown[]): Placed[] | undefined {
  const placed: Placed[] = []
  let calls = 0
  for (const given of output.filter(isRecord)) {
    if (given['type'] === 'function_call') calls++
    if (given['type'] !== 'reasoning') continue
    const { type, id, summary, encrypted_content: sealed } = given
    // Without its seal it is nothing that an endpoint without memory knows; and then the others do not stand alone.
    if (typeof sealed !== 'string' || sealed === '') return undefined
    const item = { type, ...(id !== undefined && { id }), summary: summary ?? [], encrypted_content: sealed }
    placed.push({ calls_before: calls, item })
  }
  const isKept = placed.length > 0 && JSON.stringify(placed).length <= charactersMax
  return isKept ? placed : undefined
}

/** Those of a message that stand behind so many of its calls. */
export function reasoningBefore(message: ChatMessage, callsBefore: number): Fields[] {
  const placed = message[reasoningField]
  if (!Array.isArray(placed)) return []
  return placed.flatMap((each: unknown) =>
    isRecord(each) && each['calls_before'] === callsBefore && isRecord(each['item']) ? [each['item']] : [],
  )
}

/** For an endpoint that could not open it, and for whoever is no endpoint. The same message where it has none. */
export function withoutReasoning(message: ChatMessage): ChatMessage {
  if (message[reasoningField] === undefined) return message
  const { [reasoningField]: _, ...rest } = message
  return { ...rest, role: message.role }
}
