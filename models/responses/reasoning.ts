/**
 * Reasoning between the calls of a turn: items that only the endpoint can open, sent back to it so that the model goes on
 * where it was instead of reasoning from the start. They travel in a field of the message and never leave the turn.
 */
import { type Fields, isRecord } from '../http/fields.ts'
import { reasoningField } from '../reasoning-field.ts'
import type { ChatMessage } from '../transport.ts'
import { isCallItem } from './streamed-calls.ts'

/** What to include in an answer, so that an endpoint that stores nothing sends its reasoning, sealed. */
export const encryptedReasoning = 'reasoning.encrypted_content'

/** Of one answer; longer reasoning is not sent back. */
const charactersMax = 1_048_576
/** Of one answer: each is told with all before it. */
const itemsMax = 128

/** An item, and how many calls of the same answer stand before it: its place says what it led to. */
interface PlacedItem {
  calls_before: number
  item: Fields
}

/** @returns undefined where there is nothing that could be sent back; of reasoning that is too long or not sealed, for good */
export function reasoningIn(output: readonly unknown[]): PlacedItem[] | undefined {
  const placed: PlacedItem[] = []
  let callsBefore = 0
  let characters = 0
  for (const each of output.filter(isRecord)) {
    if (isCallItem(each)) callsBefore++
    if (each['type'] !== 'reasoning') continue
    const { type, id, summary, encrypted_content: sealed } = each
    // An endpoint that stores nothing cannot use an item without its seal, nor the other items without this one.
    if (typeof sealed !== 'string' || sealed === '') return undefined
    const item = { type, ...(id !== undefined && { id }), summary: summary ?? [], encrypted_content: sealed }
    characters += JSON.stringify(item).length
    if (characters > charactersMax || placed.length === itemsMax) return undefined
    placed.push({ calls_before: callsBefore, item })
  }
  return placed.length > 0 ? placed : undefined
}

/** The items of a message that stand behind so many of its calls. */
export function reasoningAfterCalls(message: ChatMessage, callsBefore: number): Fields[] {
  const placed = message[reasoningField]
  if (!Array.isArray(placed)) return []
  return placed.flatMap((each: unknown) =>
    isRecord(each) && each['calls_before'] === callsBefore && isRecord(each['item']) ? [each['item']] : [],
  )
}
